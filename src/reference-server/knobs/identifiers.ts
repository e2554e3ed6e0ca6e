import { choice, type ValueOf } from "./knob.ts";

export const identifiers = choice(
  "What the identifiers of new users and teams are. Holds from the start on.",
  "words",
  {
    words: "words with a number, such as u-12",
    numbers: "whole numbers, which answers show as JSON numbers",
  },
);

/** An identifier as an answer shows it. */
export function shownIdentifier(how: ValueOf<typeof identifiers>, identifier: string): string | number {
  return how === "numbers" && /^\d{1,15}$/u.test(identifier) ? Number(identifier) : identifier;
}
