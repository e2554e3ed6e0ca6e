import type { FoldedAddress } from "../model/address.ts";
import { type ObservedUser, standing } from "../model/snapshot.ts";
import type { Draft } from "./draft.ts";
import { accountShownFor, type HeldKey } from "./facts.ts";
import type { Question } from "./question.ts";
import { showsTeam } from "./shown-keys.ts";
import { memberSubject, seen } from "./subjects.ts";
import type { KnownTeam, Teams, UnidentifiedTeam } from "./team-identity.ts";

/** Holders of a team's keys whom the roster does not name as its members. No call removes a member. */
export function findExtraMembers(teams: Teams, question: Question): readonly Draft[] {
  const laterAddress = laterAddresses(question);
  return [...teams.values()].flatMap((identity) => {
    if (identity.is !== "known" && identity.is !== "unidentified") return [];
    if (identity.team.open) return [];
    const members = new Set(identity.team.members.map(({ address }) => address));
    const isMember = ({ address }: ObservedUser) =>
      members.has(address) || members.has(laterAddress.get(address) ?? address);
    return holdersOf(identity, question)
      .filter(({ holder }) => !isMember(holder))
      .map((held) => tell(identity, held));
  });
}

/** People whom the service still knows under a former address count as who they are now. */
function laterAddresses({ roster }: Question): ReadonlyMap<FoldedAddress, FoldedAddress> {
  const users = [...roster.users.values()];
  return new Map(users.flatMap((user) => user.previously.map(({ value }) => [value, user.address] as const)));
}

function holdersOf(identity: KnownTeam | UnidentifiedTeam, { facts }: Question): readonly HeldKey[] {
  const named = [...identity.names].flatMap((name) => facts.byTeamName.get(name) ?? []);
  const identified = identity.is === "known" ? (facts.byTeamIdentifier.get(identity.identifier) ?? []) : [];
  const holders = new Map<ObservedUser, HeldKey>();
  for (const held of [...identified, ...named]) {
    if (showsTeam(held.key, identity) !== "yes" || holders.has(held.holder) || !opensSomething(held)) continue;
    const account = accountShownFor(held.holder, facts);
    const isElsewhere =
      held.key.team !== "none" &&
      held.key.team?.identifier === undefined &&
      account !== undefined &&
      account !== identity.team.account;
    if (!isElsewhere) holders.set(held.holder, held);
  }
  return [...holders.values()];
}

/** A person whom the service bars, and a key that it has switched off, have no access that a roster could deny. */
function opensSomething({ holder, key }: HeldKey): boolean {
  const word = standing(holder.status);
  return word !== "barred" && word !== "deleted" && standing(key.status) !== "barred";
}

function tell({ team }: KnownTeam | UnidentifiedTeam, { holder, key }: HeldKey): Draft {
  const subject = memberSubject(holder.address, team.key);
  return {
    code: "extra-member",
    subject,
    message:
      `${holder.email} holds the key ${key.prefix} of ${team.name}, and the roster does not name the person as a member. ` +
      "No call removes a member: have it done by hand, name the person in the roster, or mark the team with `open: true`.",
    because: [team.place],
    restsOn: [seen(subject, `member by key ${key.prefix}`, holder.by)],
    concerns: [{ address: holder.address, team: team.key }],
  };
}
