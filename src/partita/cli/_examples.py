"""Examples of the help of every command, which the tests run, and which commands go together."""

# One line for each command in the list of commands.
SHORT = {
    "demo": "see a consensus of 30 clusterings of 178 wines",
    "app": "the same on a page in your browser",
    "check": "what is understood of a file, and what comes next",
    "consensus": "labels in, one clustering out",
    "cluster": "features in, one clustering out",
    "predict": "place new objects in the clusters of a stored model",
    "report": "one HTML page that shows the consensus and how sure it is",
    "plot": "one picture of the clusterings and their consensus",
    "choose": "how many clusters there are, and why",
    "compare": "many methods side by side",
    "ensemble": "how the clusterings differ, and which to keep",
    "generate": "features in, many clusterings out",
    "federate": "labels of several owners that do not pool them",
    "methods": "the consensus methods and what they need",
    "reproduce": "tables and figures of the papers, run again",
    "completion": "the script that lets your shell complete names",
    "simulate": "fit files as if each were a site, in one process",
    "certificates": "keys and certificates of a server and its sites",
    "keys": "the key under which sites encrypt their sums",
    "server": "wait for all sites, and run the fit",
    "site": "take part with the labels of a file, which stay here",
}

# By the words of the command: lines, and what they do. labels.csv holds labels, table.csv features, new.csv labels of
# other objects.
EXAMPLES: dict[str, list[tuple[str, str]]] = {
    "": [
        ("partita demo", "See what comes out, on data that comes with the package:"),
        (
            "partita consensus labels.csv -o consensus.csv --report report.html",
            "One clustering from many, and a page:",
        ),
        ("partita cluster table.csv -o clusters.csv", "One clustering from features:"),
    ],
    "demo": [
        ("partita demo", "Write labels, consensus and report to the folder partita-demo:"),
        ("partita demo -d wines --json", "To another folder, and what was found for a program:"),
    ],
    "check": [
        ("partita check labels.csv", "Which columns are clusterings, and what is missing:"),
        ("partita check table.csv --kind features", "The same for features:"),
        ("cat labels.csv | partita check - --json", "From standard input, for a program:"),
    ],
    "consensus": [
        ("partita consensus labels.csv -o consensus.csv", "The number of clusters is found:"),
        (
            "partita consensus labels.csv -m pcc -k 3 -o out.csv --membership shares.csv",
            "Three clusters by another method, with probabilities:",
        ),
        ("partita consensus labels.csv -o consensus.csv --save-model model.npz", "Keep the model, for new objects:"),
        ("cat labels.csv | partita consensus - --quiet > consensus.csv", "In a pipe:"),
        ("partita consensus 'labels*.csv' -o clusters/", "Many files with the same columns, into a folder:"),
    ],
    "predict": [
        ("partita consensus labels.csv -o consensus.csv --save-model model.npz", "Fit, and keep the model:"),
        ("partita predict new.csv --model model.npz -o placed.csv", "Place other objects in its clusters:"),
        ("partita predict new.csv --model model.npz --quiet > placed.csv", "The same in a pipe:"),
    ],
    "report": [
        ("partita report labels.csv -o report.html", "One page that shows the consensus and how sure it is:"),
        (
            "partita report labels.csv -o report.html --compare-methods eac,mcla",
            "With two other methods beside it:",
        ),
    ],
    "plot": [
        ("partita plot coassociation labels.csv -o pairs.svg", "How often objects are together:"),
        ("partita plot agreement labels.csv -o agreement.png", "How far the clusterings agree:"),
        ("partita plot membership labels.csv -m pcc -k 3 -o - > membership.svg", "To standard output, as SVG:"),
    ],
    "compare": [
        ("partita compare labels.csv -k 3 --methods eac,mcla,lwgp", "Three methods side by side:"),
        ("partita compare labels.csv -k 3 --methods eac,mcla --labels found.csv", "And their clusters in a file:"),
    ],
    "choose": [
        ("partita choose labels.csv", "How many clusters, and why:"),
        ("partita choose table.csv --kind features -k 2-4 --resamples 5", "From features, quickly:"),
        ("partita choose labels.csv --quiet", "The number alone:"),
    ],
    "ensemble": [
        ("partita ensemble labels.csv", "How the clusterings differ, and whether they are enough:"),
        ("partita ensemble labels.csv --json", "The same for a program:"),
    ],
    "generate": [
        ("partita generate table.csv -o labels.csv --n-clusterings 20", "Twenty clusterings of features:"),
        ("partita generate table.csv | partita consensus - -o consensus.csv", "And one from them:"),
    ],
    "cluster": [
        ("partita cluster table.csv -o clusters.csv", "The number of clusters is found:"),
        ("partita cluster table.csv -k 3 -o clusters.csv --labels many.csv", "With all labels:"),
    ],
    "federate": [
        (
            "partita federate simulate labels.csv new.csv -m ecpcs -k 3 -o clusters.csv",
            "Try it with two files:",
        ),
    ],
    "federate simulate": [
        ("partita federate simulate labels.csv new.csv -m ecpcs -k 3 -o clusters.csv", "Two sites, by objects:"),
        ("partita federate simulate labels.csv new.csv -m mm -k 3 --json", "For a program:"),
    ],
    "federate certificates": [
        (
            "partita federate certificates kits --server localhost --site a --site b",
            "Folders for a server and two sites:",
        ),
    ],
    "federate keys": [("partita federate keys sums.keys", "A key for the sites alone:")],
    "federate server": [
        ("partita federate server kits/server -m ecpcs -k 3", "Wait for all sites, then fit:"),
    ],
    "federate site": [
        ("partita federate site kits/a labels.csv -o clusters.csv", "Take part; the labels stay here:"),
    ],
    "reproduce": [
        ("partita reproduce list", "Which tables and figures there are:"),
        ("partita reproduce pcc-table-4 --quick", "Run one of them again, in minutes:"),
    ],
    "methods": [
        ("partita methods", "Their names and what they do:"),
        ("partita methods --long", "With cost, and what a missing label means:"),
        ("partita methods --quiet", "The names alone:"),
    ],
    "completion": [
        ('eval "$(partita completion bash)"', "In ~/.bashrc, for bash (zsh: in ~/.zshrc):"),
        ("partita completion fish > ~/.config/fish/completions/partita.fish", "For fish:"),
    ],
    "app": [("partita app", "Open the page in your browser:")],
}

SEE_ALSO = {
    "demo": "partita check, partita consensus",
    "check": "partita consensus (labels), partita cluster (features)",
    "consensus": "partita methods, partita choose, partita report, partita predict",
    "predict": "partita consensus --save-model; docs/model-files.md says what a model file holds",
    "report": "partita consensus --report, partita plot",
    "plot": "partita report, which has most of the pictures on one page",
    "compare": "partita methods, partita choose",
    "choose": "partita consensus --n-clusters auto, partita compare",
    "ensemble": "partita compare, partita plot agreement",
    "generate": "partita consensus, partita cluster",
    "cluster": "partita generate, partita consensus, partita choose",
    "federate simulate": "partita federate server, partita federate site; docs/federation.md",
    "federate certificates": "partita federate server, partita federate site",
    "federate keys": "partita federate site --keys",
    "federate server": "partita federate certificates, partita federate site",
    "federate site": "partita federate certificates, partita federate keys, partita federate server",
    "reproduce": "partita generate --recipe",
    "methods": "partita compare, partita consensus --method",
    "completion": "the manual of your shell",
    "app": "partita consensus, partita report",
}
