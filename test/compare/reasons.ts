import type { Shift } from "./play.ts";

/** What was said otherwise in the reference, in fields, codes and sentences, and what is said now. */
const renamed: readonly (readonly [RegExp, string])[] = [
  // Words of the roster files and the glossary.
  [/"founder": {4}/gu, '"firstMember":'],
  [/\bfounder: (?=\S+@)/gu, "firstMember: "],
  [/\bFOUNDER@/gu, "NEW@"],
  [/`founder`/gu, "`firstMember`"],
  [/\bfounder(?=[-"](?!:))/gu, "first-member"],
  [/\bfounder(?=s?\b)/gu, "first member"],
  [/The team has no such member left\./gu, "All its members already exist."],
  [/([^\s"]+@[^\s"]+) was in an applied roster\. Now/gu, "An earlier apply had $1 in its roster. Now"],
  [/What reads do not show by then was not done\./gu, "If reads do not show it by then, it was not done."],
  [/you allowed roster to create them again/gu, "you allowed a second creation"],
  [/If the service means the address/gu, "If it refuses the address"],
  [/\bfounds\b(?!-)/gu, "creates_team"],
  [/\bfounds-team\b/gu, "creates-team"],
  [/\bfounded_by\b/gu, "created_by"],
  [/"value":"founded"/gu, '"value":"created"'],
  [/\bfound_teams\b/gu, "create_teams"],
  [/\bfounding of team\b/gu, "creation of team"],
  [/\bgrants_for_a_moment\b/gu, "temporary_roles"],
  [/\bdisarm\b/gu, "revoke"],
  [/\bunless_exact\b/gu, "if_inexact"],
  [/\(in CI: outside the checkout\)/gu, "(in CI, outside the checkout)"],
  [/`open: true` allows extra members\./gu, "To allow all extra members, set `open: true` on the team."],
  [/(?<="suggested_yaml": ?")(?=leavers:\\n)/gu, "# If they left:\\n"],
  [/(?<="suggested_yaml": ?")(?=users:\\n {2}- email: \S+\\n {4}previously:)/gu, "# If it is the same person:\\n"],
  // Codes with the same next step are one; the message tells them apart.
  [/\bteam-without-(?:first-member|admin)\b/gu, "cannot-create-team"],
  [/\bunproven-team\b|\bunknown-membership\b/gu, "unproven-absence"],
  [/\b(?:incomplete-list|user-list-incomplete)\b/gu, "incomplete-read"],
  [/\b(?:user-disabled|deleted-user)\b/gu, "inactive-user"],
  [/\bleaver-(?:disabled|unproven)\b/gu, "leaver-remains"],
  [/\bextra-member-without-roles\b/gu, "extra-member"],
  [/\b(?:facts-from-state|privileges-unknown)\b/gu, "not-observed"],
  [/\bown-key-unknown\b/gu, "key-prefix-unknown"],
  [/\bunmanaged-key-privilege\b/gu, "unmanaged-privilege"],
  [/\bunmanaged-(?:user|key)\b(?!-)/gu, "unmanaged"],
  [/\bfirst-member-own-key-roles\b/gu, "contradiction"],
  [/"throttled"/gu, '"service-error"'],
  [/"unproven"/gu, '"stale"'],
  [/\bambiguous-key\b/gu, "key-prefix-unknown"],
  // A finding that stays is accepted in the roster, not acknowledged in a file of drift.
  [/\bidle_acknowledgements\b/gu, "unused_accepts"],
  [/"todo":/gu, '"tasks":'],
  [/"opened":(?=\d)/gu, '"new":'],
  [/"status":"opened"/gu, '"status":"new"'],
  [/, aa deleted user/gu, ", a deleted user"],
  [/ for this plan only(?=: `--allow )/gu, ""],
  // The outcome of a call is an argument of state resolve.
  [/`--done` or `--not-done`/gu, "`done` or `not-done`"],
];

/** A document of the reference in the words of today. */
export function inWordsOfToday(document: string): string {
  return renamed.reduce((text, [old, now]) => text.replaceAll(old, now), document);
}

/** Why a kind of difference is there. Where it `diverges`, what follows in that world is not compared. */
interface Reason {
  readonly reason: string;
  readonly kind: RegExp;
  /** What one of the two says at that command. */
  readonly said?: RegExp;
  /** What else differs there. */
  readonly beside?: RegExp;
  readonly diverges?: true;
  /** From then on a fault that comes with a request of a certain number meets another one. */
  readonly shifts?: true;
}

/** The first that fits holds. */
const reasons: readonly Reason[] = [
  {
    reason: "two codes are told apart by why a user is not proven absent",
    kind: /: code unproven-user, now (?:unproven-absence|incomplete-read)$/u,
  },
  {
    reason: "the classes unknown and uncorrectable are blocked or information now",
    kind: /\.class(?:es\.\S+)?$/u,
  },
  {
    reason: "a finding that stays is accepted in the roster, not acknowledged in a file of drift",
    kind: /\.(?:accept|guarded|acknowledged)$/u,
  },
  {
    reason: "what can be allowed has a code with its subject",
    kind: /\.allow(?:\.\*|\[\])?$|finding idle-allowance only (?:there|now)$/u,
  },
  {
    reason: "what can be allowed has a code with its subject",
    kind: /document\.summary\.findings$/u,
    beside: /: finding idle-allowance only (?:there|now)$/u,
  },
  { reason: "what is allowed is shown with what it covers", kind: /document\.allowed/u },
  {
    reason: "an allowance holds as long as its facts; in the reference it ended with its plan",
    kind: /./u,
    said: /is for plan DIGEST\. This is plan|is for plan [0-9a-f]+\. This is plan/u,
    diverges: true,
  },
  {
    reason: "a privileged role that was allowed stays allowed as long as its facts hold",
    kind: /./u,
    said: /"code":"privileged-roles:[^"]*","covers"/u,
    beside: /: finding privileged-roles \(blocking\) only there$/u,
    diverges: true,
  },
  {
    reason: "a key is not recorded for a member when another user, or another key of the answer, has it",
    kind: /^apply: /u,
    beside: /^apply: document\.run\.outcomes\.\*\.learned\.members\.\*\.prefix$/u,
    diverges: true,
  },
  {
    reason: "a team that waits for a first member whom the service refused tells the refusal",
    kind: /: code cannot-create-team, now refused$/u,
  },
  {
    reason: "a finding of a run says what that of a plan says",
    kind: /^apply: document\.run\.findings [\w-]+\.(?:message|suggested_yaml)$/u,
  },
  {
    reason: "of several calls that failed, another is named as the cause",
    kind: /^apply: document\.run\.outcomes\.\*\.(?:why|cause)$/u,
    said: /"outcome":"skipped"/u,
  },
  {
    reason: "what reads show late is not sent a second time",
    kind: /^apply: (?:write (?:POST|PUT) \S+ only there|document\.run\.(?:keys\.\S+|outcomes\.\*\.(?:retries|failure|learned\.\S+)))$/u,
    beside: /^apply: document\.run\.outcomes\.\*\.retries$/u,
    diverges: true,
  },
  {
    reason:
      "a replacement of roles is sent again, with the team's role too, for as long as the service does not know the key",
    kind: /^apply: write PUT \S+\/roles only now$/u,
    beside: /^apply: document\.run\.outcomes\.\*\.retries$/u,
    diverges: true,
  },
  {
    reason: "somebody is named by the identifier that an answer or a read has taught",
    kind: /^apply: write POST \S+ by another name$/u,
    beside: /^apply: document\.run\.outcomes\.\*\.learned\.identifier$/u,
  },
  {
    reason: "what an allowed team adds to the privileged roles of a person is asked anew",
    kind: /./u,
    said: /does not fit this plan: it is for other facts/u,
    diverges: true,
  },
  {
    reason: "a neighbour's proof does not speak for a call that the service has not answered (rule 4 of the design)",
    kind: /^apply: (?:document\.run\.(?:outcomes\.|counts\.(?:failed|unknown))|write PUT \S+ only now$|code [\w-]+, now [\w-]+$)/u,
    said: /Reads show that (?:no member|[^"]* was not)/u,
    diverges: true,
  },
  {
    reason: "how many succeeded, and the keys that a run has learned, follow from the outcomes",
    kind: /^apply: document\.run\.(?:counts\.\w+|keys(?:\[\]|\.\*\.\w+))$/u,
    beside: /^apply: document\.run\.outcomes\.\*\.outcome$/u,
  },
  { reason: "what a guard stops is allowed with a reason", kind: /document\.(?:reason|error\.hint)$/u },
  {
    reason: "what a creation taught names its team, since one event is all that a success leaves in the log",
    kind: /^apply: document\.run\.outcomes\.\*\.learned\.team$/u,
  },
  {
    reason: "an outcome says that a key is not certain before other calls are answered, or a read has shown it",
    kind: /^apply: document\.run\.outcomes\.\*\.learned\.(?:members\.\*\.)?provisional$/u,
  },
  {
    reason: "a drift says that its coverage does not count the owner of the key in use",
    kind: /document\.drift\.coverage\.without$/u,
  },
  { reason: "an apply tells the head of the log", kind: /document\.(?:run\.)?log_head$/u },
  {
    reason: "a throttled change is sent again only once reads have shown that it was not done (rule 4 of the design)",
    kind: /^apply: /u,
    said: /asks to retry later/u,
    diverges: true,
  },
  {
    reason: "the list of users is read where a search does not show an open creation",
    kind: /./u,
    beside: /: more reads GET \S+\/users$/u,
    diverges: true,
  },
  {
    reason: "no answer to a creation is believed that another creation had too",
    kind: /^apply: /u,
    said: /as the answer to another creation does/u,
    diverges: true,
  },
  {
    reason:
      "what the reads of the plan showed to be hidden is not asked for again (rule 9 of the design), but is a task at once",
    kind: /^apply: code write-pending, now (?:key-prefix-unknown|team-identifier-unknown)$/u,
    said: /"(?:keys_on_users|teams_on_keys)":"hidden"/u,
  },
  {
    reason:
      "what the reads of the plan showed to be hidden is not asked for again (rule 9 of the design): roles are replaced sooner, of keys that the service may not know yet",
    kind: /^apply: (?:write PUT \S+ (?:again )?only now|document\.run\.outcomes\.\*\.(?:outcome|learned|failure|retries))$/u,
    beside: /^apply: code write-pending, now (?:key-prefix-unknown|team-identifier-unknown)$/u,
    said: /"retries":\d/u,
    diverges: true,
  },
  {
    reason:
      "a read that a key waited for shows its roles as they must be, so that no replacement is sent (design, new teams)",
    kind: /^apply: (?:write PUT \S+ only there|document\.run\.(?:outcomes\.\*\.(?:outcome|learned|why)|counts\.(?:succeeded|unneeded)))$/u,
    said: /"why":"the key already has exactly these roles"/u,
  },
  {
    reason: "the roles of a key that were read are not taken from the state",
    kind: /^(?:plan|drift): .*finding not-observed only there$/u,
  },
  {
    reason: "no answer is believed that shows one key for two users",
    kind: /./u,
    said: /shows the key [^"]* for two users/u,
    diverges: true,
  },
  {
    reason: "a key that an answer shows while other calls are under way waits for their answers, or for a read",
    kind: /^apply: /u,
    beside: /^apply: document\.run\.findings (?:key-prefix-unknown|write-pending) \(blocking\) only now$/u,
    diverges: true,
  },
  {
    reason: "a task of drift is its finding and a place to look at, without dates, people and changes of its own",
    kind: /document\.drift\.tasks\.(?:changed|overdue|items\.\*\.(?:status|since|due|person|owner|changed))$|^drift: code undefined, now [\w-]+$/u,
  },
  {
    reason: "of two findings that share a code now, the later has the dates of the first",
    kind: /document\.drift\.(?:tasks\.\S+|items (?:unmanaged-privilege|cannot-create-team|incomplete-read|unproven-absence|inactive-user|key-prefix-unknown)\.(?:since|new))$/u,
  },
  {
    reason: "what a read does not show yet is asked again at other moments; what is sent, told and found is the same",
    kind: /^apply: (?:fewer|more) reads \S+ \S+$/u,
    shifts: true,
  },
  {
    reason: "a read that is made at another moment shows another part of what is checked at the end",
    kind: /^apply: document\.run\.verified\.(?:result|remarks(?:\.\*|\[\])?)$/u,
    beside: /^apply: (?:fewer|more) reads \S+ \S+$/u,
  },
  {
    reason:
      "what an answer did not show is learned by a read, which a late service answers otherwise at another moment",
    kind: /^apply: document\.run\.outcomes\.\*\.learned\.(?:answered\.\w+|identifier|prefix|team_identifier)$/u,
    beside: /^apply: (?:fewer|more) reads \S+ \S+$/u,
  },
  {
    reason:
      "a refusal of somebody or of a team that the same plan creates is remembered from the second one on, and by its user",
    kind: /^apply: document\.run\.retry(?:\.\*|\[\])?$/u,
    diverges: true,
  },
  {
    reason: "an addition that is sent before the service knows a new user is refused, and tried person by person",
    kind: /^apply: write POST \S+\/members again only (?:there|now)$/u,
    diverges: true,
  },
  {
    reason: "each person of an addition that was refused is tried under each name by which the service may know them",
    kind: /^apply: (?:write POST \S+\/members by another name|document\.run\.outcomes\.\*\.(?:learned\.members\.\*\.outcome\.)?failure\.service_says)$/u,
  },
  {
    reason: "each person of an addition that was refused is tried under each name by which the service may know them",
    kind: /^apply: /u,
    beside: /: (?:write POST \S+\/members (?:(?:again )?only now|by another name)|code not-found, now aborted)$/u,
    said: /POST [^"]*\/members"/u,
    diverges: true,
  },
  {
    reason: "a replacement of roles that reads do not show is not told as done",
    kind: /^apply: /u,
    said: /No read shows the change/u,
    diverges: true,
  },
  {
    reason: "the roles of a key are read where the answer to their replacement shows none",
    kind: /^apply: document\.run\.outcomes\.\*\.learned\.roles$/u,
  },
  { reason: "the message names guards alone; what can be allowed is the same", kind: /document\.error\.message$/u },
];

/** What differs after other requests were sent before. */
const shifted: Reason = {
  reason:
    "after other requests, or the same in another order, a fault meets another request, and a list is cut elsewhere",
  kind: /: (?:(?:fewer|more) reads \S+ \S+|.*\.by|.*\.(?:learned\.identifier|retries)|document\.(?:summary\.calls\.(?:reads|at_most)|reading\..*)|(?:finding|document\.drift\.items) unmanaged only (?:there|now)|(?:finding|document\.drift\.items) incomplete-read\.(?:message|rests_on\.\*\.why)|finding unknown-role\.message|document\.summary\.findings|document\.drift\.coverage\..*)$/u,
};

export function reasonAfterShift(kind: string): Reason | undefined {
  return shifted.kind.test(kind) ? shifted : undefined;
}

/** Why two builds differed that are alike once one of them met the world a little otherwise. */
export function reasonOfShift({ asked = 0, reads }: Shift): string {
  const same = "timing: the two do the same where, for one of them,";
  if (reads !== undefined)
    return `${same} another client reads in between, and a fault that counts requests comes earlier`;
  if (asked > 0) return `${same} chance meets another one of the same requests`;
  return `${same} calls and answers take longer, or otherwise long`;
}

export function reasonFor(kind: string, said: string, beside: readonly string[]): Reason | undefined {
  return reasons.find(
    (one) =>
      one.kind.test(kind) &&
      (one.said?.test(said) ?? true) &&
      (one.beside === undefined || beside.some((other) => one.beside?.test(other))),
  );
}
