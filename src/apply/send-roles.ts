import type { ReplaceRoles } from "../model/action.ts";
import type { Intent } from "../model/event.ts";
import type { Failure } from "../model/result.ts";
import { type RoleSet, roleSet, rolesWithout } from "../model/role-set.ts";
import { contradictsReplacement } from "./judge-answers.ts";
import type { KeyWithRoles } from "./learned-facts.ts";
import type { RunContext } from "./run-context.ts";
import { type SendResult, send } from "./send.ts";
import { recordWait } from "./settle-in-run.ts";

/** What a replacement came to. */
export interface ReplacedRoles {
  /** The roles that the key has now, where the answer shows them or more was sent than was wanted. */
  readonly shown: RoleSet | undefined;
}

/** What is announced: what is wanted, whatever else has to be sent with it. */
export function replacementIntent({ roles, owner, key, request }: ReplaceRoles, prefix: string): Intent {
  const address = owner?.address ?? (key.of === "prefix" ? undefined : key.address);
  const whose = address === undefined ? {} : { owner: address };
  return { kind: "replace-roles", prefix, roles, ...whose, ...(request === undefined ? {} : { request }) };
}

/** Milliseconds before each further try for a key that this run has given: a service may not know it everywhere yet. */
const newKeyPauses = [500, 1000, 2000, 4000];

/**
 * Replaces the roles of a key. A key that was given a moment ago and is not known yet is tried again within seconds; a
 * service that will not take away a harmless role is asked once with that role kept.
 */
export async function sendReplacement(
  action: ReplaceRoles,
  key: KeyWithRoles,
  context: RunContext,
): Promise<SendResult<ReplacedRoles>> {
  let sent = await sendKeepingRoles(action, key, context);
  if (action.key.of === "prefix") return sent;
  for (const pause of newKeyPauses) {
    if (sent.is !== "refused" || !mayBeTooEarly(sent.failure)) return sent;
    await recordWait(
      context,
      pause,
      `the service does not know the key ${key.prefix} yet, which this run was given a moment ago`,
    );
    if (context.stopped !== undefined) return sent;
    const again = await sendKeepingRoles(action, key, context);
    if (again.is === "not-started") return sent;
    sent = again;
  }
  return sent;
}

function mayBeTooEarly({ code, status }: Failure): boolean {
  return code === "not-found" || (code === "refused" && (status === undefined || status === 400));
}

async function sendKeepingRoles(
  action: ReplaceRoles,
  key: KeyWithRoles,
  context: RunContext,
): Promise<SendResult<ReplacedRoles>> {
  const sent = await sendRolesOnce(action, key, action.roles, context);
  const kept = keptRoles(action, key, context);
  if (sent.is !== "refused" || sent.failure.code !== "refused" || kept.length === 0) return sent;
  const union = roleSet([...action.roles, ...kept]);
  const again = await sendRolesOnce(action, key, union, context);
  if (again.is === "refused" || again.is === "not-started") return sent;
  if (again.is !== "answered") return again;
  return (await resendExact(action, key, context)) ?? { ...again, answer: { shown: again.answer.shown ?? union } };
}

/** A new key may have been refused only because it was not known yet: now that it is, what is wanted is asked for as it is. */
async function resendExact(
  action: ReplaceRoles,
  key: KeyWithRoles,
  context: RunContext,
): Promise<SendResult<ReplacedRoles> | undefined> {
  if (action.key.of === "prefix") return undefined;
  const sent = await sendRolesOnce(action, key, action.roles, context);
  return sent.is === "refused" || sent.is === "not-started" ? undefined : sent;
}

/** Harmless roles that the key was shown with and is to lose. */
function keptRoles({ roles }: ReplaceRoles, key: KeyWithRoles, { input: work }: RunContext): RoleSet {
  return rolesWithout(rolesWithout(key.roles ?? [], roles), work.privilegedRoles);
}

async function sendRolesOnce(
  action: ReplaceRoles,
  { prefix }: KeyWithRoles,
  roles: RoleSet,
  context: RunContext,
): Promise<SendResult<ReplacedRoles>> {
  const intent = replacementIntent(action, prefix);
  const sent = await send(context, {
    action: action.id,
    intent,
    people: [],
    call: () => context.service.replaceRoles(prefix, roles, context.signal),
    contradiction: (answer) => contradictsReplacement(prefix, answer),
  });
  return sent.is === "answered" ? { ...sent, answer: { shown: sent.answer.roles } } : sent;
}
