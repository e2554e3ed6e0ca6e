import type { TeamIdentity } from "../model/team.ts";
import type { UserQuery } from "../ports/account-service.ts";

/** A write that the service has answered with success. A creation shows a user, a founding and an addition a team's key as well. */
export interface AcknowledgedWrite {
  readonly kind: "creation" | "founding" | "addition";
  readonly person: UserQuery;
  readonly team?: TeamIdentity;
  /** Milliseconds since the epoch, when it was announced. */
  readonly begun: number;
}

/** Milliseconds by which a write may have begun before another one that it speaks for. */
const announcementSlack = 1000;

/** A few are enough to tell how recent a read is. */
const maxSampled = 3;
const maxAcknowledged = 200;

/** The last writes that succeeded. A read that shows one of them would show others that began no later. */
export interface AcknowledgedWrites {
  note(write: AcknowledgedWrite): void;
  /** Some of a kind that began no more than a second before the given time, or later; the latest first. */
  since(begun: number, kind: AcknowledgedWrite["kind"]): readonly AcknowledgedWrite[];
}

export function acknowledgedWrites(): AcknowledgedWrites {
  const writes: AcknowledgedWrite[] = [];
  return {
    note(write) {
      writes.push(write);
      if (writes.length > maxAcknowledged) writes.shift();
    },
    since: (begun, kind) =>
      writes
        .filter((write) => write.kind === kind && write.begun >= begun - announcementSlack)
        .slice(-maxSampled)
        .reverse(),
  };
}
