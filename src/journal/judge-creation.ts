import type { Intent, Learned } from "../model/run-event.ts";
import { shownOwnKey, shownTeamKey, type TeamName } from "../model/shown-keys.ts";
import { type ObservedKey, type ObservedTeam, type ObservedUser, standing } from "../model/snapshot.ts";
import type { Profile } from "../model/state.ts";
import type { Age, Evidence, Verdict } from "./settling-evidence.ts";

type Creation = Extract<Intent, { readonly kind: "create-user" }>;

/** Whether a creation of unknown outcome was done; undefined where reading cannot tell yet. */
export function judgeCreation(intent: Creation, evidence: Evidence, age: Age): Verdict | undefined {
  const notDone = age === "settled" ? ({ as: { done: false } } as const) : undefined;
  const users = evidence.usersAt(intent.address);
  // No creation makes a deleted user: whoever is shown so was there before.
  const living = users.filter(({ status }) => standing(status) !== "deleted");
  const [user, another] = living.filter(({ account }) => account === undefined || account === intent.account);
  if (another !== undefined) return undefined;
  if (user === undefined) return users.length > 0 || evidence.isAbsent(intent.address) ? notDone : undefined;
  if (intent.founds === undefined) return done(learnedOf(user, shownOwnKey(user)));
  if (isThereWithout(user, intent.founds)) return notDone;
  return done(learnedOf(user, foundersKey(user, intent.founds)));
}

function done(learned: Learned): Verdict {
  return { as: { done: true, learned } };
}

/** The user is there and the team, which would have come with this creation alone, is not: it was not this creation. */
function isThereWithout(user: ObservedUser, team: TeamName): boolean {
  return (user.keys ?? []).length > 0 && shownTeamKey(user, team).is === "absent";
}

function foundersKey(user: ObservedUser, team: TeamName): ObservedKey | undefined {
  const shown = shownTeamKey(user, team);
  if (shown.is === "shown") return shown.key;
  const [only, another] = user.keys ?? [];
  return another === undefined && shown.is === "unknown" && teamOf(only) !== undefined ? only : undefined;
}

function teamOf(key: ObservedKey | undefined): ObservedTeam | undefined {
  return key?.team === undefined || key.team === "none" ? undefined : key.team;
}

function learnedOf(user: ObservedUser, key: ObservedKey | undefined): Learned {
  const teamIdentifier = teamOf(key)?.identifier;
  return {
    kind: "create-user",
    address: user.address,
    answered: profileOf(user),
    ...(key === undefined ? {} : { prefix: key.prefix }),
    ...(user.identifier === undefined ? {} : { identifier: user.identifier }),
    ...(teamIdentifier === undefined ? {} : { teamIdentifier }),
  };
}

function profileOf({ firstName, lastName, title, externalIdentifier, source }: ObservedUser): Profile {
  return {
    ...(firstName === undefined ? {} : { firstName }),
    ...(lastName === undefined ? {} : { lastName }),
    ...(title === undefined ? {} : { title }),
    ...(externalIdentifier === undefined ? {} : { externalIdentifier }),
    ...(source === undefined ? {} : { source }),
  };
}
