import type { DriftClass } from "../../model/drift.ts";
import { type CodeText, codeText } from "./code-text.ts";

/** The classes by which `roster drift` groups what differs. */
export const driftClassTexts: Readonly<Record<DriftClass, CodeText>> = {
  tampered: codeText(
    "changed outside roster since the last apply",
    "The last apply left another value. A person or a tool changed it in the service.",
    "Run `roster drift --repair tampered` to undo it, or write the new value into the roster.",
  ),
  unapplied: codeText(
    "in the roster, but never applied",
    "The roster has it, and no apply has made it so yet.",
    "Run `roster apply`, or `roster drift --repair unapplied`.",
  ),
  uncorrectable: codeText(
    "the API cannot correct it",
    "The service differs from the roster, and the API has no call that changes it.",
    "Correct it in the service, or write what the service shows into the roster.",
  ),
  blocked: codeText(
    "something blocks the change",
    "roster does not make the change until a person resolves the finding.",
    "Read the finding. `roster explain CODE` says what to do.",
  ),
  unknown: codeText(
    "the service does not show enough to decide",
    "roster could not prove what is true, so it changes nothing.",
    "Run the command again. If it stays, run `roster doctor`.",
  ),
  pending: codeText(
    "waiting for a person, or in progress",
    "An invitation is not accepted yet, or a call of a run has no known outcome yet.",
    "Wait and run the command again. The finding says what to do if it stays.",
  ),
  unmanaged: codeText(
    "exists in the service but not in the roster",
    "The service shows it, and no roster file names it. roster does not change it.",
    "Add it to the roster, or leave it.",
  ),
  information: codeText("a notice", "Nothing is wrong. The notice reports what you may want to know.", "Do nothing."),
};
