import { type CodeText, codeText } from "./code-text.ts";

/** What can be wrong with a fleet. */
export const fleetFaults: Readonly<Record<string, CodeText>> = {
  "no-fleet": codeText(
    "there is no fleet file",
    "roster looks for fleet.yaml in this directory, then above it, up to the root of the repository.",
    "Change the directory, or name the file with `--fleet FILE`.",
  ),
  "unreadable-fleet": codeText("cannot read the fleet file", "The message has the reason.", "Correct the path."),
  "bad-fleet": codeText(
    "the fleet file has an error",
    "A key is unknown or missing, or a value is wrong.",
    "Correct the line that the error shows.",
  ),
  "bad-target-name": codeText(
    "this cannot be the name of a target",
    "The name becomes a part of addresses, paths and command lines. So only letters, digits, `.`, `_` and `-` are allowed.",
    "Rename the directory, or change the pattern.",
  ),
  "duplicate-target": codeText(
    "two targets have the same name",
    "Reports and `--only` need a name for each target. Upper and lower case are the same here.",
    "Rename one of them. A pattern may have `name:`, such as a suffix for staging.",
  ),
  "shared-state": codeText(
    "two targets have the same state",
    "A state remembers one service. Two targets would mix their records.",
    "Give each target a state of its own.",
  ),
  "empty-pattern": codeText(
    "a pattern matches no directory",
    "Targets would be left out without a sign. Links and names that begin with a dot do not count.",
    "Correct the pattern. It is relative to the fleet file.",
  ),
  "open-host": codeText(
    "the name of a directory could choose a host",
    "A person who can add a directory could send the key to another server.",
    "End the host with fixed text, such as a domain of yours.",
  ),
  "unknown-target": codeText(
    "`--only` matches no target",
    "A selector is the name of a target or one of its labels.",
    "Correct it. The message shows the most similar one.",
    "roster fleet drift --only acme --only tier=gold",
  ),
  "bad-shard": codeText(
    "`--shard` is not a part of a whole",
    "It is I/N with I from 1 to N. `auto/N` takes I from JOB_COMPLETION_INDEX, which Kubernetes sets in an Indexed Job.",
    "Correct the value.",
    "roster fleet drift --shard 2/4",
  ),
  "unknown-commit": codeText(
    "`--changed-since` cannot be compared",
    "git does not have the commit, or not the history between both. Pipelines often fetch one commit only.",
    "Fetch the whole history, such as with `fetch-depth: 0`.",
  ),
  "no-summary": codeText(
    "there is no summary of a fleet",
    "`roster fleet summarize` joins every summary.json and summary-I-of-N.json below the directory.",
    "Write them with `--report json=DIR` in each job.",
  ),
  "bad-summary": codeText(
    "a summary cannot be used",
    "The file is incomplete, is no summary of a fleet, or is of another command than the others.",
    "Remove it, or run its job again.",
  ),
  "untrusted-fleet": codeText(
    "the checkout may not choose where keys go",
    "A fleet file brings keys and endpoints together. A change to the checkout could send a key to another server, or read other files.",
    "Use a fleet file outside the checkout. If every change is reviewed before it runs, set ROSTER_TRUST_SETTINGS=1.",
  ),
  "untrusted-key-variable": codeText(
    "a fleet file in a checkout may not name this variable",
    "The variable could hold another secret, and the fleet file sends its value to an endpoint.",
    "Use a name that begins with ROSTER_KEY_. Or list it as `fleet: { keyVariables: [NAME] }` in settings outside the checkout.",
  ),
};
