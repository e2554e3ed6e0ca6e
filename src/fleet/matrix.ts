import { splitTargets } from "./select-targets.ts";

/** A job of a pipeline: its name, and the flags of `roster fleet` that choose its targets. Both are safe in YAML and in a shell. */
interface FleetJob {
  readonly name: string;
  readonly flags: string;
  /** The variable that has the key of its one target. */
  readonly key?: string;
}

/** What a matrix says of a target. */
interface MatrixTarget {
  readonly name: string;
  /** The variable that has its key. */
  readonly key?: string;
}

export type MatrixFormat = "github" | "gitlab";

/** As many jobs as these systems take in one matrix. */
const mostJobs: Readonly<Record<MatrixFormat, number>> = { github: 256, gitlab: 200 };

/** The matrix of a pipeline with a job for each target, or for several where there are too many. */
export function formatMatrix(
  format: MatrixFormat,
  targets: readonly MatrixTarget[],
  digest: (text: string) => string,
): string {
  const jobs = jobsOf(targets, mostJobs[format], digest);
  return format === "github" ? githubMatrix(jobs) : gitlabJobs(jobs);
}

function jobsOf(targets: readonly MatrixTarget[], most: number, digest: (text: string) => string): readonly FleetJob[] {
  if (targets.length <= most)
    return targets.map(({ name, key }) => ({ name, flags: `--only ${name}`, ...(key === undefined ? {} : { key }) }));
  const parts = splitTargets(targets, most, digest);
  return parts.map((part, index) => ({
    name: `${index + 1}-of-${most}`,
    flags: part.map(({ name }) => `--only ${name}`).join(" "),
  }));
}

/** For `strategy.matrix`, on one line. */
function githubMatrix(jobs: readonly FleetJob[]): string {
  return `${JSON.stringify({ include: jobs })}\n`;
}

/** A job of a child pipeline that extends `.fleet`. A child pipeline without a job would fail. */
function gitlabJobs(jobs: readonly FleetJob[]): string {
  if (jobs.length === 0) return 'no-target:\n  script: ["true"]\n';
  const entries = jobs.map(({ name, flags }) => `      - FLEET_JOB: "${name}"\n        FLEET_FLAGS: "${flags}"\n`);
  return `fleet:\n  extends: .fleet\n  parallel:\n    matrix:\n${entries.join("")}`;
}
