import type { FoldedAddress } from "../../model/address.ts";
import type { Basis } from "../../model/fact.ts";
import type { TeamKey } from "../../model/names.ts";
import { distinctReasons, type Reason } from "../../model/reason.ts";
import type { RosterTeam } from "../../model/roster.ts";
import type { Draft } from "../draft.ts";
import { type AlikeTeam, alikeYaml, tellAlike } from "../guards/alike-teams.ts";
import type { People } from "../person.ts";
import { listed, notKnown, teamSubject, yamlScalar } from "../subjects.ts";
import { aboutTeam, type Teams } from "../team-identity.ts";
import { refusalBasis, refusedBefore, waysOut } from "../tell-refused.ts";
import type { UnreadTeamFields } from "../unread-team-fields.ts";
import type { RefusedFounder } from "./refused-foundings.ts";
import type { KeptFor, Unfounded, WhyUnfounded } from "./unfounded.ts";

interface Telling {
  readonly teams: Teams;
  readonly people: People;
  readonly unfounded: Unfounded;
  readonly kept: KeptFor;
  /** The teams that one of the roster may be under a new name. */
  readonly alikeTo: (team: RosterTeam) => readonly AlikeTeam[];
  /** Fields of the service that may show teams, and are not read. */
  readonly unread: UnreadTeamFields | undefined;
}

/** One blocking finding for each team that is not there and that this plan does not found. */
export function tellUnfounded(telling: Telling): readonly Draft[] {
  return [...telling.unfounded].flatMap(([key, why]) => {
    const team = telling.teams.get(key)?.team;
    return team === undefined || why.is === "held" ? [] : [tell(team, why, telling)];
  });
}

function tell(team: RosterTeam, why: Exclude<WhyUnfounded, { is: "held" }>, telling: Telling): Draft {
  const keptHere = telling.kept.get(team.key) ?? [];
  const waits =
    keptHere.length === 0
      ? ""
      : ` Until then ${emails(keptHere, telling)} ${areNot(keptHere)} created, so that the team can still be founded.`;
  switch (why.is) {
    case "unproven":
      return unproven(team, why, waits, telling);
    case "needs-held":
      return withoutHeld(team, why, keptHere, telling);
    case "without-admin":
    case "admin-kept":
      return aboutTeam(team, {
        code: "team-without-admin",
        message: `${adminMessage(team, why, telling)}${waits}`,
        restsOn: absenceOf(team, telling),
      });
    case "refused": {
      const message = `${refusedMessage(team, why.founders)}${waits}`;
      const about = `founding of ${teamSubject(team.key)}`;
      const restsOn = [...absenceOf(team, telling), ...why.founders.map(({ refusal }) => refusalBasis(about, refusal))];
      const people = why.founders.map(({ founder }) => founder);
      const because = distinctReasons([...team.because.slice(0, 1), ...placesOf([], people, telling)]);
      return { ...aboutTeam(team, { code: "refused", message, restsOn }), because };
    }
    case "cycle":
      return withoutFounder(
        team,
        `${cycleMessage(team, why.teams, telling)}${waits}`,
        placesOf(why.teams, [], telling),
        telling,
      );
    case "outnumbered":
      return withoutFounder(
        team,
        `${outnumberedMessage(team, why, telling)}${waits}`,
        placesOf(why.teams, why.people, telling),
        telling,
      );
  }
}

/** By which read, or by whose word, the team is not there. */
function absenceOf({ key }: RosterTeam, { teams }: Telling): readonly Basis[] {
  const identity = teams.get(key);
  return identity?.is === "new" ? [identity.absence] : [];
}

type Unproven = Extract<WhyUnfounded, { is: "unproven" }>;

function unproven(team: RosterTeam, why: Unproven, waits: string, { unread }: Telling): Draft {
  const restsOn = [notKnown(teamSubject(team.key), why.why)];
  const told = { code: why.code, message: `${unprovenMessage(team, why)}${waits}`, restsOn };
  if (unread === undefined || why.code !== "unproven-team") return aboutTeam(team, told);
  return aboutTeam(team, { ...told, message: `${told.message} ${unread.words}.`, suggestedYaml: unread.yaml });
}

function unprovenMessage(team: RosterTeam, { code, why }: Unproven): string {
  if (code === "ambiguous-team") {
    return `It is not known which team ${team.name} is: ${why}. Nothing is done for the two until the roster gives one of them its identifier.`;
  }
  const next =
    code === "incomplete-list"
      ? "Plan again; nothing is founded on an incomplete list"
      : `If you know that the team is not there, say --assume-absent ${JSON.stringify(`team:${team.name}`)} for one run; if it is, give its identifier in the roster`;
  return `It is not proven that the team ${team.name} is absent: ${why}. ${next}.`;
}

function withoutHeld(
  team: RosterTeam,
  { person, as }: Extract<WhyUnfounded, { is: "needs-held" }>,
  kept: readonly FoldedAddress[],
  telling: Telling,
): Draft {
  const others = kept.filter((one) => one !== person);
  const waits =
    others.length === 0 ? "" : ` ${emails(others, telling)} ${areNot(others)} created until then, to found it.`;
  const message =
    `${team.name} is not founded by this plan: it needs ${emails([person], telling)} as its ${as}, who is held by a guard. ` +
    `See to the finding about that, or name another ${as}.${waits}`;
  const code = as === "founder" ? "team-without-founder" : "team-without-admin";
  const because = distinctReasons([...team.because.slice(0, 1), ...placesOf([], [person], telling)]);
  return { ...aboutTeam(team, { code, message, restsOn: absenceOf(team, telling) }), because };
}

function refusedMessage({ name }: RosterTeam, founders: readonly RefusedFounder[]): string {
  const told = founders.map(({ email, refusal }) => refusedBefore(`found ${name} with ${email}`, refusal)).join(" ");
  const rest = "One request makes both, so either may be at fault, and no other new member is free to be tried.";
  return `${told} ${rest} ${waysOut("correct the team or its founder in the roster, or give the team another new member")}`;
}

function adminMessage(
  team: RosterTeam,
  why: Extract<WhyUnfounded, { is: "without-admin" | "admin-kept" }>,
  telling: Telling,
): string {
  const admin = emails([why.admin], telling);
  const reason =
    why.is === "without-admin"
      ? "is neither there nor can be created by this plan"
      : `is not created by this plan, being kept as the founder of ${names([why.keptFor], telling)}`;
  return (
    `${team.name} cannot be founded: its administrator ${admin} ${reason}. ` +
    "See to the finding about that, or name another administrator."
  );
}

function cycleMessage(team: RosterTeam, cycle: readonly TeamKey[], telling: Telling): string {
  return (
    `${team.name} cannot be founded: the founders that the roster names for ${names(cycle, telling)} need each other as ` +
    `administrators first. Take out a founder line so that a team can be founded by its administrator, ${byHandOrNewFounder}`
  );
}

function outnumberedMessage(
  team: RosterTeam,
  { teams, people }: Extract<WhyUnfounded, { is: "outnumbered" }>,
  telling: Telling,
): string {
  return (
    `${team.name} cannot be founded: a team comes into being only together with a new user of its account who is a member ` +
    `and has no ownKeyRoles, one user for each team. ${shortage(team, teams, people, telling)} Either ${byHandOrNewFounder}`
  );
}

const byHandOrNewFounder =
  "have the team made by hand and give its identifier in the roster, or add a new user to it as its founder.";

function shortage(
  team: RosterTeam,
  teams: readonly TeamKey[],
  people: readonly FoldedAddress[],
  telling: Telling,
): string {
  if (team.founder !== undefined && people.length === 0) {
    return `The founder that the roster names, ${emails([team.founder.value], telling)}, is not such a user.`;
  }
  if (people.length === 0) return "No such member is left for the team.";
  return `The ${teams.length} teams ${names(teams, telling)} have only ${people.length} between them: ${emails(people, telling)}.`;
}

/** A team that is perhaps there under another name is first of all to be called by it: made by hand it would be there twice. */
function withoutFounder(team: RosterTeam, message: string, because: readonly Reason[], telling: Telling): Draft {
  const alike = telling.alikeTo(team);
  const told =
    alike.length === 0
      ? { message, suggestedYaml: newFounderYaml(team) }
      : {
          message: `${team.name} may be there: ${tellAlike(team, alike)} Otherwise ${message}`,
          suggestedYaml: alikeYaml(team, alike),
        };
  const restsOn = [...absenceOf(team, telling), ...alike.map(({ basis }) => basis)];
  return {
    ...aboutTeam(team, { code: "team-without-founder", ...told, restsOn }),
    because: distinctReasons([...team.because.slice(0, 1), ...because]),
  };
}

function newFounderYaml(team: RosterTeam): string {
  return [
    `account: ${yamlScalar(team.account)}`,
    "users:",
    "  - { email: FOUNDER@EXAMPLE.ORG, firstName: FIRST, lastName: LAST }",
    "teams:",
    `  - name: ${yamlScalar(team.name)}`,
    "    founder: FOUNDER@EXAMPLE.ORG",
    "    members:",
    "      - { user: FOUNDER@EXAMPLE.ORG }",
    "",
  ].join("\n");
}

function placesOf(teams: readonly TeamKey[], people: readonly FoldedAddress[], telling: Telling): readonly Reason[] {
  return [
    ...teams.flatMap((key) => telling.teams.get(key)?.team.because.slice(0, 1) ?? []),
    ...people.flatMap((address) => telling.people.get(address)?.user.because.slice(0, 1) ?? []),
  ];
}

function names(teams: readonly TeamKey[], telling: Telling): string {
  return listed(teams.map((key) => telling.teams.get(key)?.team.name ?? key));
}

function emails(people: readonly FoldedAddress[], telling: Telling): string {
  return listed(people.map((address) => telling.people.get(address)?.user.email ?? address));
}

function areNot(people: readonly unknown[]): string {
  return people.length === 1 ? "is not" : "are not";
}
