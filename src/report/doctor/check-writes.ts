import { consistencyWindow, unknownWriteBehaviour, type WriteBehaviour } from "../../model/consistency.ts";
import type { DoctorCheck, DoctorObservations } from "./seen.ts";

/** How the service takes writes, as far as the state remembers: a doctor writes nothing. */
export function checkWrites({ writes }: DoctorObservations): readonly DoctorCheck[] {
  if (writes === undefined) return [];
  const { learned = unknownWriteBehaviour, set } = writes;
  return [checkConsistency(learned, set), ...checkThrottling(learned), ...checkMemberNames(learned)];
}

function checkConsistency(learned: WriteBehaviour, set: number | undefined): DoctorCheck {
  const { prompt, longest } = learned;
  const last = prompt === 0 ? "" : `the last ${prompt} changes within 5 s`;
  const slowest = longest === 0 ? "" : `the slowest after ${formatSpan(longest)}`;
  const came = [last, slowest].filter((words) => words !== "").join("; ") || "nothing yet";
  const by = set === undefined ? "" : ", as the settings say";
  return {
    check: "consistency",
    mark: "ok",
    asked: "how late reads show changes of earlier runs",
    came,
    means: `What reads do not show ${formatSpan(consistencyWindow(set, learned))} after a call counts as not done${by}.`,
  };
}

function checkThrottling({ throttling }: WriteBehaviour): readonly DoctorCheck[] {
  if (throttling === undefined) return [];
  const hasEffect = throttling === "may-have-effect";
  return [
    {
      check: "throttling",
      mark: hasEffect ? "notice" : "ok",
      asked: "whether a throttled write was done all the same",
      came: hasEffect ? "it was" : "it was not",
      means: hasEffect
        ? "A throttled creation or addition is not sent again: reading decides what became of it."
        : "A throttled write is sent again after the time that the service names.",
    },
  ];
}

function checkMemberNames({ membersNamedBy }: WriteBehaviour): readonly DoctorCheck[] {
  if (membersNamedBy === undefined) return [];
  const came = membersNamedBy === "email" ? "by their addresses" : "by their identifiers";
  return [
    {
      check: "member-names",
      mark: "ok",
      asked: "how additions to a team name people",
      came,
      means: `People are added ${came}.`,
    },
  ];
}

function formatSpan(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000);
  return seconds >= 60 && seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`;
}
