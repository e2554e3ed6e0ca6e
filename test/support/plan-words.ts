import { type Action, prefixOf, type ReplaceRoles } from "../../src/model/action.ts";
import type { NamesInCalls, Plan } from "../../src/model/plan.ts";
import type { Roster } from "../../src/model/roster.ts";
import type { Snapshot, UserListStatus } from "../../src/model/snapshot.ts";
import { formatSubject } from "../../src/model/subject.ts";
import type { PlanFacts } from "../../src/plan/comparison.ts";
import { planned } from "./plan-inputs.ts";
import { snapshotOf } from "./simulated-snapshot.ts";
import type { World } from "./simulated-world.ts";
import type { Hidden } from "./visibility.ts";

export interface Circumstances {
  readonly state?: PlanFacts["state"] | undefined;
  readonly policy?: PlanFacts["policy"] | undefined;
  readonly hides?: readonly Hidden[] | undefined;
  /** What a person allows of this very plan, such as `user-missing:ada@acme.example`. */
  readonly allows?: readonly string[] | undefined;
  readonly everyone?: UserListStatus | undefined;
  readonly seen?: ((snapshot: Snapshot) => Snapshot) | undefined;
}

/** The plan for a world that was read thoroughly, but for the circumstances. */
export function planFor(world: World, roster: Roster, circumstances: Circumstances = {}): Plan {
  const { hides = [], everyone, seen = (snapshot) => snapshot, ...rest } = circumstances;
  const alsoAsked = rest.state?.applied?.people.keys() ?? [];
  const snapshot = snapshotOf(world, { roster, hides, alsoAsked, everyone });
  return planned({ roster, snapshot: seen(snapshot), ...rest });
}

/** Every action in a few words, with the actions that it waits for. */
export function deeds(plan: Plan): readonly string[] {
  return plan.actions.map((action) => {
    const after = action.dependsOn.length === 0 ? "" : ` after ${action.dependsOn.join(", ")}`;
    return `${deed(action, plan)}${after}`;
  });
}

/** Of the finding that only a plan of a snapshot has. */
export function isPreview(message: string): boolean {
  return message.startsWith("This is a preview from a snapshot");
}

/** What the service does not show, and a plan takes from the state. */
const takenFromState = /^The service does not show everything/u;

/** Every finding as its code and subject; blocking ones with a mark. That hidden things are taken as recorded is no trouble. */
export function troubles(plan: Plan): readonly string[] {
  const findings = plan.findings.filter(({ message }) => !takenFromState.test(message));
  return findings.map(({ code, subject, kind }) => `${kind === "task" ? "! " : ""}${code}: ${formatSubject(subject)}`);
}

/** What a plan does, then what it finds. */
export function outcome(plan: Plan): readonly string[] {
  return [...deeds(plan), ...troubles(plan)];
}

function deed(action: Action, { teams }: NamesInCalls): string {
  switch (action.kind) {
    case "create-user": {
      const { createsTeam } = action;
      if (createsTeam === undefined) return `create ${short(action.address)}`;
      const admin = createsTeam.admin === undefined ? "" : ` for ${short(createsTeam.admin)}`;
      return `create ${short(action.address)} creating ${createsTeam.name}${admin} with ${createsTeam.accessKeyRoles.join("+")}`;
    }
    case "add-members":
      return `add ${action.members.map(({ address }) => short(address)).join(", ")} to ${teams.get(action.team)?.name}`;
    case "replace-roles":
      return `set ${keyWord(action, teams)} to ${action.roles.join("+") || "nothing"}`;
  }
}

function keyWord(action: ReplaceRoles, teams: NamesInCalls["teams"]): string {
  const { key } = action;
  switch (key.of) {
    case "prefix":
      return `${prefixOf(action)} (${key.prefix.known})`;
    case "own-key":
      return `own key of ${short(key.address)}`;
    case "team-key":
      return `key of ${short(key.address)} in ${teams.get(key.team)?.name}`;
  }
}

function short(address: string): string {
  return address.replace("@acme.example", "");
}
