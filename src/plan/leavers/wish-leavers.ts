import { type Basis, declared } from "../../model/fact.ts";
import { roleSet } from "../../model/role-set.ts";
import type { Leaver } from "../../model/roster.ts";
import type { KnownKeyWish } from "../key-wishes.ts";
import type { Question } from "../question.ts";
import { userSubject } from "../subjects.ts";
import type { FoundLeaver } from "./found-leavers.ts";
import { leaverKeys } from "./leaver-keys.ts";
import { isOwnKeyOf } from "./own-key-of-leaver.ts";
import type { TeamOfKey } from "./team-of-key.ts";

/** A leaver holds nothing: no roles on any of their keys. `teamOf`: for a plan that says which keys these are. */
export function wishLeaver(
  found: FoundLeaver,
  question: Question,
  teamOf: TeamOfKey = () => undefined,
): readonly KnownKeyWish[] {
  const { leaver } = found;
  const { address, because } = leaver;
  const restsOn = [leaverBasis(leaver)];
  return leaverKeys(found, question).map(({ key, holder, places }) => {
    const team = teamOf(key.value);
    return {
      is: "known",
      asks: "leaver",
      roles: roleSet([]),
      key,
      ...(team === undefined ? ownness(leaver, key.value, question) : { team }),
      holder,
      because: [...because, ...places],
      concern: { address },
      restsOn,
    };
  });
}

function ownness(leaver: Leaver, prefix: string, question: Question): Pick<KnownKeyWish, "isOwn"> {
  return isOwnKeyOf(leaver, prefix, question) ? { isOwn: true } : {};
}

/** That somebody is a leaver, and from which day on: a plan of that day need not be right on the day before. */
export function leaverBasis({ address, since, place }: Leaver): Basis {
  const is = since === undefined ? "a leaver" : `a leaver since ${since}`;
  return { about: userSubject(address), fact: declared(is, place) };
}
