import { formatSubject } from "../../src/model/fact.ts";
import { type Action, type NamesInCalls, type Plan, prefixOf, type ReplaceRoles } from "../../src/model/plan.ts";

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
