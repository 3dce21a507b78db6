// Requests to the server on this computer, and nowhere else.

export class ServerError extends Error {
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

const GONE = "The server does not answer. Is partita app still running in the terminal?";
const REFUSED = "The server was started anew, or this page lost its key. Open the address that partita app printed.";

/** Path with a query; empty values are left out. */
export function address(path, query = {}) {
  const pairs = Object.entries(query).filter(([, value]) => value !== null && value !== undefined && value !== "");
  const text = new URLSearchParams(pairs).toString();
  return `/api/${path}${text ? `?${text}` : ""}`;
}

async function failure(status, text) {
  let said = "";
  try { said = JSON.parse(text).error ?? ""; } catch { /* not JSON: an answer of the machinery below */ }
  if (said) return new ServerError(said, status);
  return new ServerError(status === 403 ? REFUSED : `The server answered with an error (${status}).`, status);
}

const AGAIN = 250; // milliseconds until a result that is being fitted is asked for again

/** The answer, when it is there; with `once`, also that it is not ready (202). */
async function send(path, query, options, once = false) {
  for (;;) {
    const answer = await sendOnce(path, query, options);
    if (once || answer.status !== 202) return answer;
    await pause(AGAIN);
  }
}

async function sendOnce(path, query, options) {
  let answer;
  try {
    answer = await fetch(address(path, query), { headers: { "X-Partita": "1" }, ...options });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ServerError(GONE, 0);
  }
  if (!answer.ok) throw await failure(answer.status, await answer.text());
  return answer;
}

export async function get(path, query = {}, signal = undefined) {
  return (await send(path, query, { signal })).json();
}

/** An answer that may not be ready: [ready, value]. */
export async function getWhenReady(path, query = {}) {
  const answer = await send(path, query, {}, true);
  return [answer.status !== 202, await answer.json()];
}

export async function getBytes(path, query = {}) {
  return new Uint8Array(await (await send(path, query, {})).arrayBuffer());
}

export async function post(path, body = {}) {
  const headers = { "X-Partita": "1", "Content-Type": "application/json" };
  return (await send(path, {}, { method: "POST", headers, body: JSON.stringify(body) })).json();
}

export async function remove(path) {
  await send(path, {}, { method: "DELETE" });
}

/** Send a file; `told` hears the share that has left. */
export function upload(file, told) {
  return new Promise((done, failed) => {
    const request = new XMLHttpRequest(); // fetch does not tell how far it is
    request.open("POST", address("datasets", { name: file.name }));
    request.setRequestHeader("X-Partita", "1");
    request.upload.addEventListener("progress", (event) => told(event.lengthComputable ? event.loaded / event.total : null));
    request.addEventListener("error", () => failed(new ServerError(GONE, 0)));
    request.addEventListener("load", async () => {
      if (request.status >= 400) failed(await failure(request.status, request.responseText));
      else done(JSON.parse(request.responseText));
    });
    request.send(file);
  });
}

export const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));
