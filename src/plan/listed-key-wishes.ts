import type { RosterKey } from "../model/roster.ts";
import { judgeDeclaredKey, listedKeyDeclaration } from "./declared-keys.ts";
import type { Wished } from "./key-wishes.ts";
import type { People } from "./person.ts";
import type { Question } from "./question.ts";
import { shownRef } from "./references.ts";

/** The roles that the roster wants on a key that it names by its prefix. A mistaken prefix is a finding of its own. */
export function wishListedKey(entry: RosterKey, question: Question, people: People): Wished {
  const owner = entry.owner === undefined ? undefined : people.get(entry.owner.value);
  const declaration = listedKeyDeclaration(entry, people, question);
  const judged = judgeDeclaredKey(declaration, question);
  if (judged.is === "mistaken" || owner?.is === "withheld") return undefined;
  const { key, held } = judged;
  const common = { roles: entry.roles, because: entry.because, concern: declaration.concern };
  const wish = { is: "known", asks: "list", key, ...common } as const;
  if (owner !== undefined) return { ...wish, owner };
  return held === undefined ? wish : { ...wish, holder: shownRef(held.holder) };
}
