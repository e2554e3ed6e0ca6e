import type { Knobs } from "../knobs.ts";

interface Texts {
  readonly firstName: string;
  readonly lastName: string;
  readonly title?: string | undefined;
}

export function keptTexts(how: Knobs["texts"], { firstName, lastName, title }: Texts): Texts {
  switch (how) {
    case "keep":
      return { firstName, lastName, title };
    case "trim":
      return { firstName: firstName.trim(), lastName: lastName.trim(), title: title?.trim() || undefined };
    case "drop-title":
      return { firstName, lastName };
  }
}
