import type { CreateUser, Founding } from "../model/action.ts";
import type { Intent, Learned } from "../model/run-event.ts";
import type { CreatedUser, NewTeam } from "../ports/account-service.ts";
import type { ActionEnd } from "./action-end.ts";
import { learnKeys, learnTeam } from "./learn-by-reading.ts";
import type { LearnedFacts } from "./learned-facts.ts";
import type { RunContext } from "./run-context.ts";
import { send } from "./send.ts";

/** Creates a user, with the team that comes into being with them, and learns what later calls need. */
export async function createUser(action: CreateUser, context: RunContext): Promise<ActionEnd> {
  const { account, user, founds } = action;
  const team = founds === undefined ? undefined : newTeam(founds, context.facts);
  const sent = await send(context, {
    action: action.id,
    intent: intentOf(action),
    call: () => context.service.createUser(account, user, team, context.signal),
    learn: (answer) => learnedOf(action, answer),
  });
  if (sent.is !== "done") return sent;
  remember(action, sent.answer, context);
  await learnTheRest(action, context);
  return { is: "ended", ended: { done: true } };
}

function newTeam({ name, admin, accessKeyRoles }: Founding, facts: LearnedFacts): NewTeam {
  return { name, accessKeyRoles, ...(admin === undefined ? {} : { adminUserIdentifier: facts.nameOf(admin) }) };
}

function intentOf({ address, account, user, founds }: CreateUser): Intent {
  const { email, ...sent } = user;
  const intent = { kind: "create-user", address, email, account, sent } as const;
  if (founds === undefined) return intent;
  const { team, name, accessKeyRoles } = founds;
  return { ...intent, founds: { team, name, accessKeyRoles } };
}

function learnedOf({ address, founds }: CreateUser, { identifier, key, team, profile }: CreatedUser): Learned {
  const teamIdentifier = founds === undefined ? undefined : team?.identifier;
  return {
    kind: "create-user",
    address,
    answered: profile,
    ...(identifier === undefined ? {} : { identifier }),
    ...(key === undefined ? {} : { prefix: key.prefix }),
    ...(key?.roles === undefined ? {} : { roles: key.roles }),
    ...(teamIdentifier === undefined ? {} : { teamIdentifier }),
  };
}

function remember({ address, user, founds }: CreateUser, answer: CreatedUser, { facts, touched }: RunContext): void {
  const { identifier, key, team } = answer;
  facts.learnPerson(address, identifier);
  facts.learnKey({ address, team: founds?.team }, key);
  touched.expect({ of: "user", address, email: user.email });
  if (founds === undefined) return;
  facts.learnTeam(founds.team, team?.identifier);
  touched.expect({
    of: "membership",
    address,
    email: user.email,
    team: { name: founds.name, identifier: team?.identifier },
  });
}

/** Both questions go into one search. */
async function learnTheRest(action: CreateUser, context: RunContext): Promise<void> {
  const { id, address, account, user, founds, because } = action;
  const { facts, needs } = context;
  const person = { address, email: user.email };
  const holder = { address, team: founds?.team };
  const keyIsMissing = needs.keysOf(id).has(address) && facts.key(holder) === undefined;
  const missing = keyIsMissing ? [{ person, ...(founds === undefined ? {} : { team: founds }) }] : [];
  const reading = [learnKeys(context, missing, because)];
  if (founds !== undefined && needs.teamOf(id) && facts.foundedTeam(founds.team) === undefined) {
    reading.push(learnTeam(context, { team: founds.team, name: founds.name, founder: person, account }, because));
  }
  await Promise.all(reading);
}
