import type { EmailKey } from "../model/address.ts";
import { type Fact, factValue } from "../model/fact.ts";
import { sha256 } from "../model/json.ts";
import type { Action, NamesInCalls, Plan } from "../model/plan.ts";

/** Digests what would be done to which people, and nothing of when, why or how that became known. */
export function planId({ service, actions, ...names }: Pick<Plan, "service" | "actions"> & NamesInCalls): string {
  return sha256(JSON.stringify([service, ...actions.map((action) => actionParts(action, names))])).slice(0, 16);
}

/** Written as lists, so that no order of fields can change the text. */
function actionParts(action: Action, { users, teams }: NamesInCalls): readonly unknown[] {
  const person = (address: EmailKey) => [users.get(address)?.email, identifierOf(users.get(address))];
  const common = [action.id, action.dependsOn];
  switch (action.kind) {
    case "create-user": {
      const { email, firstName, lastName, title, externalIdentifier, source } = action.user;
      const user = [email, firstName, lastName, title, externalIdentifier, source].map((field) => field ?? null);
      const { createsTeam } = action;
      const { team: key, name, admin, accessKeyRoles } = createsTeam ?? {};
      const team = createsTeam && [key, name, admin && person(admin), accessKeyRoles];
      return [...common, action.account, user, team ?? null];
    }
    case "add-members": {
      const { team, members } = action;
      return [...common, [team, identifierOf(teams.get(team))], members.map(({ address }) => person(address))];
    }
    case "replace-roles": {
      const { key } = action;
      const of = key.of === "prefix" ? [key.of, key.prefix.value] : [key.of, key.address];
      return [...common, of, action.roles, action.ifInexact];
    }
  }
}

function identifierOf(named: { readonly identifier: Fact<string> } | undefined): string | null {
  return (named && factValue(named.identifier)) ?? null;
}
