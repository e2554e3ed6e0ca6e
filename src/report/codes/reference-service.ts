import { type CodeText, codeText } from "./code-words.ts";

/** What can be wrong with the seed and the knobs of the reference service, which `roster serve` runs. */
export const referenceService: Readonly<Record<string, CodeText>> = {
  "seed-empty": codeText("a seed has no account", "Users and teams are in accounts.", "Add one under `accounts`."),
  "seed-duplicate": codeText(
    "a seed names something twice",
    "Names and addresses in a seed are unique.",
    "Take one of the two out.",
  ),
  "seed-unknown-name": codeText(
    "a seed names something that is not there",
    "Members, owners and roles refer to what the seed has.",
    "Correct the name, or add it.",
  ),
  "seed-wrong-type": codeText(
    "a value in a seed is of another type",
    "The message says what is expected.",
    "Correct it.",
  ),
  "seed-bad-value": codeText("a value in a seed cannot be", "The message says what is expected.", "Correct it."),
  "seed-missing-key": codeText("a key is missing in a seed", "The message says which.", "Add it."),
  "seed-unknown-key": codeText(
    "a seed has a key that is not known",
    "The message names the nearest one.",
    "Correct it.",
  ),
  "unknown-knob": codeText(
    "there is no such knob",
    "The message names the nearest one; `--knobs list` shows all.",
    "Correct the name.",
  ),
  "bad-knob-value": codeText("a knob cannot have this value", "The message says which it takes.", "Correct it."),
};
