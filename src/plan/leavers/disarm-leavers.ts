import type { RosterKey } from "../../model/roster.ts";
import type { Draft } from "../draft.ts";
import type { KnownKeyWish, Wished } from "../key-wishes.ts";
import type { Question } from "../question.ts";
import type { Teams } from "../team-identity.ts";
import { findLeavers } from "./found-leavers.ts";
import { giveWay } from "./give-way.ts";
import { teamsOfKeys } from "./team-of-key.ts";
import { tellLeaver } from "./tell-leavers.ts";
import { wishLeaver } from "./wish-leavers.ts";

export interface DisarmedLeavers {
  readonly wishes: readonly KnownKeyWish[];
  /** What others wish for, as far as it does not keep a leaver's key in use. */
  readonly wished: readonly Wished[];
  readonly findings: readonly Draft[];
}

/** Whoever is to hold nothing: what calls can do about it, and what only people can. */
export function disarmLeavers(question: Question, teams: Teams, wished: readonly Wished[]): DisarmedLeavers {
  const found = findLeavers(question);
  const teamOf = found.length === 0 ? () => undefined : teamsOfKeys(teams, question);
  const wishes = found.flatMap((one) => wishLeaver(one, question, teamOf));
  const given = giveWay(wishes, wished);
  const told = found.flatMap((one) => tellLeaver(one, question));
  return { wishes, wished: given.wished, findings: [...told, ...given.findings] };
}

/** The keys of the roster's list, apart from those of leavers, which count as theirs: they have no roles, and may be gone. */
export function listedKeys({ roster, facts }: Question): readonly RosterKey[] {
  return roster.keys.filter(({ prefix, owner }) => {
    if (owner === undefined || !roster.leavers.has(owner.value)) return true;
    const holder = facts.keyPrefixed(prefix)?.holder.address;
    return holder !== undefined && holder !== owner.value;
  });
}
