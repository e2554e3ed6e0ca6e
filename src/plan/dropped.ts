import { type DroppedUser, droppedUsers } from "../model/roster.ts";
import { type Presence, presenceLookup } from "../model/snapshot.ts";
import type { FindingDraft } from "./draft.ts";
import { truncateList } from "./guards/bounded.ts";
import type { PlanContext } from "./question.ts";
import { observedBasis, recordedBasis, unknownBasis, userSubject, yamlScalar } from "./subjects.ts";

/** With more people than these, one finding more tells of all at once: a file was perhaps lost. */
const maxReportedSingly = 3;

interface DroppedUserPresence {
  readonly person: DroppedUser;
  readonly presence: Exclude<Presence, { readonly is: "gone" }>;
  /** When the roster was applied that still named them, or named them as dropped. */
  readonly at: string;
}

/** People of the last applied roster whom nobody names any more, and who are not known to be gone: nobody disappears in silence. */
export function findDroppedUsers(context: PlanContext): readonly FindingDraft[] {
  const dropped = presentDroppedUsers(context);
  const each = dropped.map((one) => droppedUserFinding(one, context));
  return dropped.length <= maxReportedSingly ? each : [droppedUsersSummary(dropped), ...each];
}

function presentDroppedUsers({ roster, snapshot, state, policy }: PlanContext): readonly DroppedUserPresence[] {
  const candidates = droppedUsers(roster, state).filter(({ address }) => !policy.released.includes(address));
  if (candidates.length === 0) return [];
  const presenceOf = presenceLookup(snapshot);
  const at = state.applied?.at ?? "";
  return candidates.flatMap((person) => {
    const presence = presenceOf(person.address);
    return presence.is === "gone" ? [] : [{ person, presence, at }];
  });
}

function droppedUserFinding(
  { person, presence, at }: DroppedUserPresence,
  { policy, roster }: PlanContext,
): FindingDraft {
  const { address, email } = person;
  const isDisarmed = roster.teams.some(({ onRemoval }) => onRemoval === "disarm");
  const beside = isDisarmed ? ", beside what teams with `onRemoval: disarm` ask" : "";
  const subject = userSubject(address);
  const there =
    presence.is === "there"
      ? "and the service still shows the person"
      : `and it is not proven that the person is gone: ${presence.why}`;
  const message =
    `${email} was in an applied roster and is in none of its files now, neither as a user nor as a leaver, ${there}. ` +
    `Nothing is done about somebody who may have been left out by mistake${beside}: ` +
    "write the person under `leavers`, or back among the users; " +
    `or say --release ${email} for one run, and they are nobody's matter from then on.`;
  const basis =
    presence.is === "there"
      ? presence.users.map(({ by }) => observedBasis(subject, "present", by))
      : [unknownBasis(subject, presence.why)];
  return {
    code: "dropped",
    subject,
    message,
    because: [],
    restsOn: [recordedBasis(subject, "in the applied roster", at), ...basis],
    suggestedYaml: `leavers:\n  - email: ${yamlScalar(email)}\n    since: ${policy.today}\n`,
    concerns: [{ address }],
  };
}

function droppedUsersSummary(dropped: readonly DroppedUserPresence[]): FindingDraft {
  const names = truncateList(dropped.map(({ person }) => person.email));
  const message =
    `${dropped.length} people of applied rosters are in none of its files now: ${names}. ` +
    "If a file was lost in a merge, bring it back; else each of them is a finding of their own.";
  const concerns = dropped.map(({ person: { address } }) => ({ address }));
  return { code: "dropped", subject: "roster", message, because: [], concerns };
}
