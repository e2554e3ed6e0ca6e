import type { Knobs } from "../knobs.ts";

interface UserNames {
  readonly firstName: string;
  readonly lastName: string;
  readonly title?: string | undefined;
}

export function storedNames(how: Knobs["texts"], { firstName, lastName, title }: UserNames): UserNames {
  switch (how) {
    case "keep":
      return { firstName, lastName, title };
    case "trim":
      return { firstName: firstName.trim(), lastName: lastName.trim(), title: title?.trim() || undefined };
    case "drop-title":
      return { firstName, lastName };
  }
}
