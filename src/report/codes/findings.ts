import type { FindingCode } from "../../model/finding.ts";
import type { CodeText } from "./code-words.ts";
import { aboutKeys } from "./findings/keys.ts";
import { aboutPeople } from "./findings/people.ts";
import { aboutRuns } from "./findings/runs.ts";
import { aboutTeams } from "./findings/teams.ts";

/** What each finding is about. */
export const findings: Readonly<Record<FindingCode, CodeText>> = {
  ...aboutPeople,
  ...aboutTeams,
  ...aboutKeys,
  ...aboutRuns,
};
