import type { IntentOf } from "../model/call.ts";
import type { Failure } from "../model/failure.ts";
import { giverOf, lostRoles, type Plan, type ReplaceRoles, teamOf } from "../model/plan.ts";
import { problem, type Result, success } from "../model/result.ts";
import { formatRoles, type RoleSet, roleSet, rolesWithout, sameRoles } from "../model/values.ts";
import { effectsOf, onlyUser, standingOf } from "./assess.ts";
import type { KnownKey, RunKnowledge } from "./knowledge.ts";
import {
  type ActionResult,
  recordFailure,
  recordSkipped,
  recordSuccess,
  recordUnknown,
  resolveByReading,
  type SendResult,
  send,
} from "./send.ts";
import { forbiddenKeys, queriesOf, type RunSession, readUntil } from "./session.ts";

/** Makes the roles of a key exact, unless this run has shown that they are. */
export async function replaceRoles(action: ReplaceRoles, session: RunSession): Promise<ActionResult> {
  const { id, roles } = action;
  const { journal, knowledge } = session;
  const key = keyToReplace(action, knowledge);
  // The action that should have given the key has recorded the finding.
  if (key === undefined) return recordSkipped(session, id, giverOf(action), "the prefix of the key is unknown");
  const { prefix } = key;
  const blocked = reasonNotToTouch(action, prefix, session);
  if (blocked !== undefined) return recordFailure(session, id, blocked);
  if (action.ifInexact && key.roles !== undefined && sameRoles(key.roles, roles)) {
    const why = "the key already has exactly these roles";
    journal.record([{ type: "unneeded", at: journal.now(), action: id, why, shown: { prefix, roles } }]);
    return { is: "done" };
  }
  const call = { action: id, intent: replacementIntent(action, prefix, session.plan) };
  const sent = await sendReplacement(action, key, session);
  switch (sent.is) {
    case "not-started":
      return sent;
    case "unknown": {
      const isReadable = call.intent.owner !== undefined;
      const verdict = isReadable ? await resolveByReading(session, call, sent) : undefined;
      return verdict?.as.done === true ? { is: "done" } : { is: "not-done", failure: sent.failure };
    }
    case "refused":
      return recordFailure(session, id, sent.failure);
    case "done": {
      const confirmed = await confirmRoles(call.intent, sent.answer, session);
      if (!confirmed.ok) {
        recordUnknown(session, call, { failure: confirmed.error, times: sent.times });
        return { is: "not-done", failure: confirmed.error };
      }
      recordSuccess(session, id, { kind: "replace-roles", prefix, roles: confirmed.value });
      return { is: "done" };
    }
  }
}

function keyToReplace({ key, before }: ReplaceRoles, knowledge: RunKnowledge): KnownKey | undefined {
  if (key.of !== "prefix") return knowledge.givenKey(key.address, key.of === "team-key" ? key.team : undefined);
  const prefix = key.prefix.value;
  return before.known === "observed" ? { prefix, roles: before.value } : { prefix };
}

/**
 * Why a key that only the run has learned is not to be touched: guards have judged the keys that the plan names, and no call is about
 * anybody else's. They have not judged a key that came into use after the plan.
 */
function reasonNotToTouch(action: ReplaceRoles, prefix: string, session: RunSession): Failure | undefined {
  const { key } = action;
  const { plan, service, knowledge, privilegedRoles } = session;
  const refuse = (why: string, hint: string): Failure => {
    return { code: "stale", message: `roster did not change the roles of the key ${prefix}: ${why}`, hint };
  };
  if (key.of === "prefix") {
    const isGuarded = prefix !== service.keyPrefix || plan.forbids?.keys.includes(prefix) === true;
    const lost = isGuarded ? [] : lostRoles(action, privilegedRoles);
    if (lost.length === 0) return undefined;
    const hint = "Keep the role in the roster, or run roster with the key of another administrator";
    return refuse(`it is in use now, and would lose ${formatRoles(lost)}`, hint);
  }
  const hint = "Find the right key in the service, and write its prefix into the roster";
  if (forbiddenKeys(session).has(prefix)) return refuse("a guard protects this key", hint);
  const holder = knowledge.holderOf(prefix);
  if (holder === undefined) return undefined;
  if (holder.address !== key.address) return refuse(`it is a key of ${holder.address}`, hint);
  const wanted = key.of === "team-key" ? key.team : "own";
  const isOther = holder.of !== undefined && holder.of !== wanted;
  return isOther ? refuse("it is another key of the same user", hint) : undefined;
}

interface ReplacedRoles {
  /** The roles of the call: those that are wanted, and those that the service does not take away. */
  readonly sent: RoleSet;
  readonly shown: RoleSet | undefined;
}

/** Milliseconds before each read that may confirm an answer that does not show the roles that were sent. */
const confirmationPauses = [0, 500, 1000, 2000, 2000];

/**
 * The roles that the key has now, as far as they are known. An answer that shows what was sent is believed. One without roles counts
 * once a read shows all that was sent; more may be the service's way. One with other roles may be another call's: it counts once a
 * read shows that the call was done. Where no read shows roles, all but fewer roles than were sent is believed.
 */
async function confirmRoles(
  intent: IntentOf<"replace-roles">,
  { sent, shown }: ReplacedRoles,
  session: RunSession,
): Promise<Result<RoleSet | undefined, Failure>> {
  if (shown !== undefined && sameRoles(shown, sent)) return success(shown);
  const isDone = (read: RoleSet) =>
    shown === undefined
      ? rolesWithout(sent, read).length === 0
      : sameRoles(read, intent.roles) || sameRoles(read, shown);
  const { knowledge, plan, capabilities } = session;
  // None where nobody knows whose key it is.
  const [effect] = effectsOf(intent);
  const isHidden = effect === undefined || knowledge.keysAreHidden || capabilities.rolesOnKeys === "hidden";
  const why = `the answer for the key ${intent.prefix} does not show the roles of the call`;
  const pauses = isHidden ? [] : confirmationPauses;
  const people = () => queriesOf(intent, plan);
  const found = await readUntil<RoleSet | "hidden">(session, pauses, why, people, (users) => {
    const user = effect && onlyUser(users, effect.address);
    const standing = user && standingOf(effect, user);
    if (standing === undefined || standing.is === "absent") return undefined;
    if (standing.is === "unknown") return "hidden";
    const read = standing.key?.roles;
    return read !== undefined && isDone(read) ? read : undefined;
  });
  const read = found ?? (isHidden ? "hidden" : "mismatch");
  if (typeof read !== "string") return success(shown === undefined && !sameRoles(read, sent) ? undefined : read);
  const isWhole = shown === undefined || rolesWithout(sent, shown).length === 0;
  if (read === "hidden" && isWhole)
    return success(shown === undefined && !sameRoles(sent, intent.roles) ? sent : undefined);
  const answered = shown === undefined ? "shows no roles" : `has ${formatRoles(shown)}`;
  return problem({
    code: isWhole ? "stale" : "misunderstood",
    message: `roster sent ${formatRoles(sent)} for the key ${intent.prefix}, but the answer ${answered}. The service does not show the change`,
    hint: "Run apply again. The next plan compares the roles of the key",
  });
}

/** The roles that are wanted are announced, whatever else has to be sent with them. */
export function replacementIntent(action: ReplaceRoles, prefix: string, { teams }: Plan): IntentOf<"replace-roles"> {
  const { roles, key, before, request, ownership } = action;
  const team = teamOf(action);
  return {
    kind: "replace-roles",
    prefix,
    roles,
    owner: key.address,
    team,
    name: team && teams.get(team)?.name,
    before: before.known === "observed" ? before.value : undefined,
    request,
    ownership,
  };
}

/** Milliseconds before each further try for a key that this run has given: a service may not know it everywhere yet. */
const newKeyPauses = [500, 1000, 2000, 4000];

/**
 * Replaces the roles of a key. A key that was given a moment ago and is not known yet is tried again within seconds; a
 * service that will not take away a harmless role is asked once with that role kept.
 */
async function sendReplacement(action: ReplaceRoles, key: KnownKey, session: RunSession) {
  const { journal } = session;
  let sent = await sendKeepingRoles(action, key, session);
  if (action.key.of === "prefix") return sent;
  for (const pause of newKeyPauses) {
    if (sent.is !== "refused") return sent;
    const { code, status = 400 } = sent.failure;
    if (code !== "not-found" && (code !== "refused" || status !== 400)) return sent;
    await journal.pause(pause, `the service does not know the new key ${key.prefix} yet`);
    const again = await sendKeepingRoles(action, key, session);
    if (again.is === "not-started") return sent;
    sent = again;
  }
  return sent;
}

async function sendKeepingRoles(action: ReplaceRoles, { prefix, roles: before = [] }: KnownKey, session: RunSession) {
  const { id, roles } = action;
  const { service, signal, plan, privilegedRoles } = session;

  async function sendRoles(sent: RoleSet): Promise<SendResult<ReplacedRoles>> {
    const result = await send(session, {
      action: id,
      intent: replacementIntent(action, prefix, plan),
      // The key may have come into use since the call was sent with another one.
      call: async (announced) => {
        const failure = reasonNotToTouch(action, prefix, session);
        if (failure !== undefined) return { outcome: "failed", failure };
        return service.replaceRoles(prefix, sent, signal, announced);
      },
      contradiction: (answer) => contradictsReplacement(prefix, answer),
    });
    return result.is === "done" ? { ...result, answer: { sent, shown: result.answer.roles } } : result;
  }

  const first = await sendRoles(roles);
  // Harmless roles that the key was shown with and is to lose.
  const kept = rolesWithout(rolesWithout(before, roles), privilegedRoles);
  if (first.is !== "refused" || first.failure.code !== "refused" || kept.length === 0) return first;
  const withKept = await sendRoles(roleSet([...roles, ...kept]));
  if (withKept.is === "refused" || withKept.is === "not-started") return first;
  // A new key may have been refused only because it was not known yet: now that it is, what is wanted is asked for as it is.
  if (withKept.is === "unknown" || action.key.of === "prefix") return withKept;
  const exact = await sendRoles(roles);
  return exact.is === "refused" || exact.is === "not-started" ? withKept : exact;
}

/** Why an answer to a replacement is about another key; undefined where it is not. */
export function contradictsReplacement(prefix: string, shown: { readonly prefix?: string }): string | undefined {
  return shown.prefix === undefined || shown.prefix === prefix ? undefined : `it shows the key ${shown.prefix}`;
}
