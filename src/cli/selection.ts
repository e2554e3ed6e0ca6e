import { invalidSetting } from "../library/error.ts";
import { type EmailKey, foldAddress } from "../model/address.ts";

/** What `--only` leaves of a list: a row must fit all that is given. */
export interface ListSelection {
  readonly person?: EmailKey;
  readonly team?: string;
  readonly role?: string;
  readonly run?: string;
}

export function readOnly(
  words: readonly string[] | undefined,
  kinds: readonly ("user" | "team" | "role" | "run")[],
): ListSelection {
  const forms = kinds.map((kind) => (kind === "user" ? "user:EMAIL" : `${kind}:${kind === "run" ? "ID" : "NAME"}`));
  let selection: ListSelection = {};
  for (const word of words ?? []) {
    const [, kind, name = ""] = /^([a-z]+):(.+)$/su.exec(word) ?? [];
    const known = kinds.find((one) => one === kind);
    if (known === undefined) {
      const hint = `Write --only ${forms.join(" or ")}.`;
      throw invalidSetting("bad-flag-value", `--only ${word} is not understood.`, hint);
    }
    selection = { ...selection, ...(known === "user" ? { person: foldAddress(name) } : { [known]: name }) };
  }
  return selection;
}
