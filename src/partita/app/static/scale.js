// Colours of shares from 0 to 1: the blues of the figures; on a dark page the same hues from dark to light.
import { isDark } from "./dom.js";

const LIGHT = ["f7fbff", "deebf7", "c6dbef", "9ecae1", "6baed6", "4292c6", "2171b5", "08519c", "08306b"];
const DARK = ["1c2228", "1d2f42", "1c405f", "1c5482", "286fa8", "4a8fc8", "77b0e0", "a9d0f2", "e2f0fd"];
const NO_VALUE = { light: [240, 220, 184], dark: [92, 78, 52] };

function parse(text) { return [0, 2, 4].map((start) => parseInt(text.slice(start, start + 2), 16)); }

/** 256 colours: 0 to 254 are shares, 255 is no value. */
export function scaleColors() {
  const stops = (isDark() ? DARK : LIGHT).map(parse);
  const colors = [];
  for (let value = 0; value < 255; value += 1) {
    const place = (value / 254) * (stops.length - 1);
    const low = Math.min(Math.floor(place), stops.length - 2);
    colors.push(stops[low].map((part, channel) => Math.round(part + (place - low) * (stops[low + 1][channel] - part))));
  }
  colors.push(isDark() ? NO_VALUE.dark : NO_VALUE.light);
  return colors;
}

const PAGE = { light: [255, 255, 255], dark: [19, 23, 27] };
const FADED = 0.68; // share of the page's colour: what is not selected is still seen

/** The same colours for what is not selected. */
export function fadedColors() {
  const page = isDark() ? PAGE.dark : PAGE.light;
  return scaleColors().map((color) => color.map((part, channel) => Math.round(part + FADED * (page[channel] - part))));
}
