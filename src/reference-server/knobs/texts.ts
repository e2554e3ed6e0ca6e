import { choice, type ValueOf } from "./knob.ts";

export const texts = choice("What becomes of the names and the title of a new user.", "keep", {
  keep: "they are kept as they were sent",
  trim: "white space around them is cut off, and an empty title is none",
  "drop-title": "names are kept, the title is not",
});

interface Texts {
  readonly firstName: string;
  readonly lastName: string;
  readonly title?: string | undefined;
}

export function keptTexts(how: ValueOf<typeof texts>, { firstName, lastName, title }: Texts): Texts {
  switch (how) {
    case "keep":
      return { firstName, lastName, title };
    case "trim":
      return { firstName: firstName.trim(), lastName: lastName.trim(), title: title?.trim() || undefined };
    case "drop-title":
      return { firstName, lastName };
  }
}
