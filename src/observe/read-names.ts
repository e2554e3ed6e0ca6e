import type { ReadName } from "../model/fact.ts";

/** Names the searches of one run, in the order in which they are decided on. */
export class ReadNames {
  readonly #given = { search: 0, confirm: 0 };

  next(kind: "search" | "confirm"): ReadName {
    this.#given[kind] += 1;
    return `${kind} ${this.#given[kind]}`;
  }
}
