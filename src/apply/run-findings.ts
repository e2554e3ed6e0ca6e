import type { RunEvent } from "../model/event.ts";
import type { Reason } from "../model/fact.ts";
import type { TeamKey } from "../model/team.ts";
import type { UserQuery } from "../ports/account-service.ts";
import { foundEvent, type RunContext } from "./run-context.ts";

/** A team as findings name it. */
export interface NamedTeam {
  readonly team: TeamKey;
  readonly name: string;
}

/** A team that was founded, and whose identifier neither the answer nor a read has shown. */
export function teamIdentifierUnknown(
  context: RunContext,
  { team, name }: NamedTeam,
  because: readonly Reason[],
): RunEvent {
  return foundEvent(context, {
    code: "team-identifier-unknown",
    subject: `team ${team}`,
    message:
      `${name} was founded, but the service shows no identifier for it, so nobody can be added to it. ` +
      "Look the identifier up in the service and write it into the roster; the team is recorded and is not founded again.",
    because,
    suggestedYaml: `teams:\n  - name: ${JSON.stringify(name)}\n    identifier: IDENTIFIER\n`,
  });
}

/** A team that was founded, and that reads do not show yet. */
export function teamNotShownYet(context: RunContext, { team, name }: NamedTeam, because: readonly Reason[]): RunEvent {
  return foundEvent(context, {
    code: "settling",
    subject: `team ${team}`,
    message:
      `${name} was founded, and reads do not show its identifier yet, so nobody can be added to it. ` +
      "The team is recorded and is not founded again. Run apply again later.",
    waits: true,
    because,
  });
}

/** A key that was given, and that reads do not show yet. */
export function keyNotShownYet(
  context: RunContext,
  { address, email }: UserQuery,
  team: NamedTeam | undefined,
  because: readonly Reason[],
): RunEvent {
  const which = team === undefined ? `The own key of ${email}` : `The key of ${email} in ${team.name}`;
  return foundEvent(context, {
    code: "settling",
    subject: team === undefined ? `user ${address}` : `member ${address} of team ${team.team}`,
    message: `${which} is not shown by reads yet, so its roles are not set. Run apply again later.`,
    waits: true,
    because,
  });
}

/** A key that was given, and whose prefix neither the answer nor a read has shown. */
export function keyPrefixUnknown(
  context: RunContext,
  { address, email }: UserQuery,
  team: NamedTeam | undefined,
  because: readonly Reason[],
): RunEvent {
  if (team === undefined) {
    return foundEvent(context, {
      code: "own-key-unknown",
      subject: `user ${address}`,
      message:
        `${email} was created, but the service shows no prefix for their own key, so its roles cannot be set. ` +
        "Look the prefix up in the service and write it into the roster.",
      because,
      suggestedYaml: `users:\n  - email: ${JSON.stringify(email)}\n    key: PREFIX\n`,
    });
  }
  const { name } = team;
  return foundEvent(context, {
    code: "key-prefix-unknown",
    subject: `member ${address} of team ${team.team}`,
    message:
      `${email} is a member of ${name} now, but the service shows no prefix for their key in it, so its roles cannot be set. ` +
      "Look the prefix up in the service and write it into the roster.",
    because,
    suggestedYaml: `teams:\n  - name: ${JSON.stringify(name)}\n    members:\n      - user: ${JSON.stringify(email)}\n        key: PREFIX\n`,
  });
}

/** A creation whose answer showed several keys of which none can be told to be the one. */
export function keyAmbiguous(
  context: RunContext,
  {
    person,
    team,
    prefixes,
  }: { readonly person: UserQuery; readonly team: NamedTeam | undefined; readonly prefixes: readonly string[] },
  because: readonly Reason[],
): RunEvent {
  const { address, email } = person;
  const line = `key: ${prefixes.join(" # or ")}`;
  const whose = team === undefined ? "their own key" : `their key in ${team.name}`;
  return foundEvent(context, {
    code: "key-ambiguous",
    subject: team === undefined ? `user ${address}` : `member ${address} of team ${team.team}`,
    message:
      `${email} was created, and the answer shows ${prefixes.length} keys (${prefixes.join(", ")}) without saying which of them is ${whose}. ` +
      "None is guessed, and no roles are set: look it up in the service and write it into the roster.",
    because,
    suggestedYaml:
      team === undefined
        ? `users:\n  - email: ${JSON.stringify(email)}\n    ${line}\n`
        : `teams:\n  - name: ${JSON.stringify(team.name)}\n    members:\n      - user: ${JSON.stringify(email)}\n        ${line}\n`,
  });
}
