import type { Action, KeyRef, PersonRef, TeamRef } from "../model/action.ts";
import { type Fact, factValue } from "../model/fact.ts";

/** Digests what would be done to whom, and nothing of when, why or how that became known. */
export function planId(service: string, actions: readonly Action[], digest: (text: string) => string): string {
  return digest(JSON.stringify([service, ...actions.map(actionParts)])).slice(0, 16);
}

/** Written as lists, so that no order of fields can change the text. */
function actionParts(action: Action): readonly unknown[] {
  const common = [action.id, action.dependsOn];
  switch (action.kind) {
    case "create-user": {
      const { email, firstName, lastName, title, externalIdentifier, source } = action.user;
      const user = [email, firstName, lastName, title, externalIdentifier, source].map((field) => field ?? null);
      const { founds } = action;
      const team = founds && [
        founds.team,
        founds.name,
        founds.admin && personParts(founds.admin),
        founds.accessKeyRoles,
      ];
      return [...common, action.account, user, team ?? null];
    }
    case "add-members":
      return [...common, teamParts(action.team), action.members.map(personParts)];
    case "replace-roles":
      return [...common, keyParts(action.key), action.roles, action.unlessExact];
  }
}

function personParts(ref: PersonRef): readonly unknown[] {
  return [ref.email, valueOrNull(ref.identifier), ref.createdBy ?? null];
}

function teamParts(ref: TeamRef): readonly unknown[] {
  return [ref.team, valueOrNull(ref.identifier), ref.foundedBy ?? null];
}

function keyParts(key: KeyRef): readonly unknown[] {
  return key.of === "prefix" ? [key.of, valueOrNull(key.prefix)] : [key.of, key.address, key.givenBy];
}

function valueOrNull(fact: Fact<string>): string | null {
  return factValue(fact) ?? null;
}
