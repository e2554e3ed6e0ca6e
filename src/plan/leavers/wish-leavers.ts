import { type Basis, declared } from "../../model/fact.ts";
import { roleSet } from "../../model/role-set.ts";
import type { Leaver } from "../../model/roster.ts";
import type { KnownKeyUpdate } from "../key-wishes.ts";
import type { PlanContext } from "../question.ts";
import { userSubject } from "../subjects.ts";
import type { LocatedLeaver } from "./found-leavers.ts";
import { leaverKeys } from "./leaver-keys.ts";
import { isOwnKeyOfLeaver } from "./own-key-of-leaver.ts";
import type { TeamOfKeyLookup } from "./team-of-key.ts";

/** A leaver holds nothing: no roles on any of their keys. `teamOf`: for a plan that says which keys these are. */
export function desiredLeaverRoles(
  found: LocatedLeaver,
  context: PlanContext,
  teamOf: TeamOfKeyLookup = () => undefined,
): readonly KnownKeyUpdate[] {
  const { leaver } = found;
  const { address, because } = leaver;
  const restsOn = [leaverBasis(leaver)];
  return leaverKeys(found, context).map(({ key, holder, places }) => {
    const team = teamOf(key.value);
    return {
      is: "known",
      asks: "leaver",
      roles: roleSet([]),
      key,
      ...(team === undefined ? ownKeyMark(leaver, key.value, context) : { team }),
      holder,
      because: [...because, ...places],
      concern: { address },
      restsOn,
    };
  });
}

function ownKeyMark(leaver: Leaver, prefix: string, context: PlanContext): Pick<KnownKeyUpdate, "isOwn"> {
  return isOwnKeyOfLeaver(leaver, prefix, context) ? { isOwn: true } : {};
}

/** That somebody is a leaver, and from which day on: a plan of that day need not be right on the day before. */
export function leaverBasis({ address, since, place }: Leaver): Basis {
  const is = since === undefined ? "a leaver" : `a leaver since ${since}`;
  return { about: userSubject(address), fact: declared(is, place) };
}
