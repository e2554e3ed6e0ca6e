import type { ActionId, PersonRef, ReplaceRoles } from "../model/action.ts";
import { factValue } from "../model/fact.ts";
import { sameRoles } from "../model/role-set.ts";
import type { Learned } from "../model/run-event.ts";
import type { SoughtPerson } from "../ports/people-reader.ts";
import type { ActionEnd } from "./action-end.ts";
import type { GivenKey } from "./learned-facts.ts";
import type { RunContext } from "./run-context.ts";
import { recordFailure, recordSuccess } from "./send.ts";
import { type Replaced, rolesIntent, sendRoles } from "./send-roles.ts";

/** Makes the roles of a key exact, unless this run has shown that they are. */
export async function replaceRoles(action: ReplaceRoles, context: RunContext): Promise<ActionEnd> {
  const { id, roles } = action;
  const key = keyToReplace(action, context);
  if (key === undefined) return skipWithoutKey(action, context);
  const { prefix } = key;
  if (action.unlessExact && key.roles !== undefined && sameRoles(key.roles, roles)) {
    return leaveAsIs(id, { prefix, roles }, context);
  }
  const sent = await sendRoles(action, key, context);
  switch (sent.is) {
    case "not-started":
      return sent;
    case "unknown":
      return { is: "ended", ended: { done: false }, failure: sent.failure };
    case "refused":
      return recordFailure(context, id, sent.failure);
    case "answered": {
      const intent = rolesIntent(action, prefix);
      await recordSuccess(context, { action: id, intent }, learnedOf(prefix, sent.answer));
      expectRoles(action, prefix, sent.answer, context);
      return { is: "ended", ended: { done: true } };
    }
  }
}

function learnedOf(prefix: string, { shown }: Replaced): Learned {
  return { kind: "replace-roles", prefix, ...(shown === undefined ? {} : { roles: shown }) };
}

function expectRoles(action: ReplaceRoles, prefix: string, { shown }: Replaced, context: RunContext): void {
  const owner = ownerOf(action);
  if (owner === undefined) {
    context.touched.cannotSearch({ prefix });
    return;
  }
  const { address, email } = owner;
  const at = context.clock.now();
  context.touched.expect({ of: "roles", address, email, prefix, roles: action.roles, answered: shown, at });
}

/** The key, once its prefix is known. */
export function keyToReplace({ key, before }: ReplaceRoles, { facts }: RunContext): GivenKey | undefined {
  if (key.of !== "prefix")
    return facts.key({ address: key.address, ...(key.of === "own-key" ? {} : { team: key.team.team }) });
  const prefix = factValue(key.prefix);
  if (prefix === undefined) return undefined;
  return before.known === "observed" ? { prefix, roles: before.value } : { prefix };
}

/** The finding was told by the action that should have given the key. */
async function skipWithoutKey({ id, key }: ReplaceRoles, context: RunContext): Promise<ActionEnd> {
  const why = "the prefix of the key is not known";
  const cause: ActionId | undefined = key.of === "prefix" ? undefined : key.givenBy;
  await context.record([
    { type: "skipped", at: context.now(), action: id, ...(cause === undefined ? {} : { cause }), why },
  ]);
  return { is: "ended", ended: { done: false, cause: { action: cause ?? id, why } } };
}

async function leaveAsIs(action: ActionId, shown: Required<GivenKey>, context: RunContext): Promise<ActionEnd> {
  const why = "the key was shown with exactly these roles";
  await context.record([{ type: "unneeded", at: context.now(), action, why, shown }]);
  return { is: "ended", ended: { done: true } };
}

/** Who has to be read for the key to be seen. */
function ownerOf({ owner, key }: ReplaceRoles): SoughtPerson | undefined {
  if (owner !== undefined) return soughtOf(owner);
  return key.of === "prefix" ? undefined : { address: key.address, email: key.address };
}

function soughtOf({ address, email }: PersonRef): SoughtPerson {
  return { address, email };
}
