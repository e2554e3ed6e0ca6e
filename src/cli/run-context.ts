import type { EventOf } from "../model/event.ts";
import type { Actor } from "../model/recorded.ts";
import type { Host } from "./host.ts";

/** Who started a run, from which commit, pipeline and change request, and who approved it, as far as the environment says. */
export type RunContext = { readonly actor: Actor } & {
  readonly [Name in "commit" | "pipeline" | "changeRequest" | "approvers"]?:
    | EventOf<"command-started">[Name]
    | undefined;
};

export function runContextOf({ env, user }: Pick<Host, "env" | "user">): RunContext {
  const system = pipelineSystems.find(({ marker }) => said(env[marker]) !== undefined);
  const approvers = (said(env["ROSTER_APPROVERS"]) ?? "").split(/[\s,]+/u).filter((name) => name !== "");
  const approval = {
    // The pipeline of a merge knows no change request. The script that verifies the approvals names it.
    changeRequest: said(env["ROSTER_CHANGE_REQUEST"]) ?? said(system?.changeRequest(env)),
    ...(approvers.length === 0 ? {} : { approvers }),
  };
  if (system === undefined) return { actor: { name: user, source: "os" }, ...approval };
  const { source, actor, commit, address } = system;
  const name = actor.map((variable) => said(env[variable])).find((value) => value !== undefined);
  const run = { commit: said(env[commit]), pipeline: said(address(env)) };
  return { actor: { name: name ?? user, source }, ...run, ...approval };
}

/** By which variable the job is known to be a pull request's, such as `GITHUB_EVENT_NAME=pull_request`; undefined for other jobs. */
export function pullRequestOf({ env }: Pick<Host, "env">): string | undefined {
  const system = pipelineSystems.find(({ marker }) => said(env[marker]) !== undefined);
  const value = said(system === undefined ? undefined : env[system.pullRequest]);
  if (system === undefined || value === undefined || value === "false") return undefined;
  const events = system.pullRequestValues;
  return events === undefined || events.test(value) ? `${system.pullRequest}=${value}` : undefined;
}

interface PipelineSystem {
  /** As in `actor.source`. */
  readonly source: string;
  /** The variable by which the system is known. */
  readonly marker: string;
  /** Variables that name who started the run, the best one first. */
  readonly actor: readonly string[];
  readonly commit: string;
  /** A variable that only jobs of pull requests have. */
  readonly pullRequest: string;
  /** Where all jobs have it: which of its values say so. */
  readonly pullRequestValues?: RegExp;
  /** The address of the change request, else its number: only in jobs of pull requests. */
  readonly changeRequest: (env: Host["env"]) => string | undefined;
  readonly address: (env: Host["env"]) => string | undefined;
}

const pipelineSystems: readonly PipelineSystem[] = [
  {
    source: "github",
    marker: "GITHUB_ACTIONS",
    actor: ["GITHUB_TRIGGERING_ACTOR", "GITHUB_ACTOR"],
    commit: "GITHUB_SHA",
    pullRequest: "GITHUB_EVENT_NAME",
    pullRequestValues: /^pull_request/u,
    changeRequest: (env) =>
      joined(
        env["GITHUB_SERVER_URL"],
        "/",
        env["GITHUB_REPOSITORY"],
        "/pull/",
        /^refs\/pull\/(\d+)\//u.exec(env["GITHUB_REF"] ?? "")?.[1],
      ),
    address: (env) =>
      joined(env["GITHUB_SERVER_URL"], "/", env["GITHUB_REPOSITORY"], "/actions/runs/", env["GITHUB_RUN_ID"]),
  },
  {
    source: "gitlab",
    marker: "GITLAB_CI",
    actor: ["GITLAB_USER_LOGIN"],
    commit: "CI_COMMIT_SHA",
    pullRequest: "CI_MERGE_REQUEST_IID",
    changeRequest: (env) =>
      joined(env["CI_MERGE_REQUEST_PROJECT_URL"], "/-/merge_requests/", env["CI_MERGE_REQUEST_IID"]),
    address: (env) => env["CI_JOB_URL"],
  },
  {
    source: "azure",
    marker: "TF_BUILD",
    actor: ["BUILD_REQUESTEDFOREMAIL", "BUILD_REQUESTEDFOR"],
    commit: "BUILD_SOURCEVERSION",
    pullRequest: "SYSTEM_PULLREQUEST_PULLREQUESTID",
    changeRequest: (env) => env["SYSTEM_PULLREQUEST_PULLREQUESTID"],
    address: (env) =>
      joined(env["SYSTEM_COLLECTIONURI"], env["SYSTEM_TEAMPROJECT"], "/_build/results?buildId=", env["BUILD_BUILDID"]),
  },
  {
    source: "bitbucket",
    marker: "BITBUCKET_BUILD_NUMBER",
    actor: ["BITBUCKET_STEP_TRIGGERER_UUID"],
    commit: "BITBUCKET_COMMIT",
    pullRequest: "BITBUCKET_PR_ID",
    changeRequest: (env) => env["BITBUCKET_PR_ID"],
    address: (env) => joined(env["BITBUCKET_GIT_HTTP_ORIGIN"], "/pipelines/results/", env["BITBUCKET_BUILD_NUMBER"]),
  },
  {
    source: "buildkite",
    marker: "BUILDKITE",
    actor: ["BUILDKITE_BUILD_CREATOR_EMAIL", "BUILDKITE_BUILD_CREATOR"],
    commit: "BUILDKITE_COMMIT",
    pullRequest: "BUILDKITE_PULL_REQUEST",
    changeRequest: (env) => numberOf(env["BUILDKITE_PULL_REQUEST"]),
    address: (env) => env["BUILDKITE_BUILD_URL"],
  },
  {
    source: "circleci",
    marker: "CIRCLECI",
    actor: ["CIRCLE_USERNAME"],
    commit: "CIRCLE_SHA1",
    pullRequest: "CIRCLE_PULL_REQUEST",
    changeRequest: (env) => env["CIRCLE_PULL_REQUEST"],
    address: (env) => env["CIRCLE_BUILD_URL"],
  },
  {
    source: "jenkins",
    marker: "JENKINS_URL",
    actor: ["BUILD_USER_ID", "CHANGE_AUTHOR"],
    commit: "GIT_COMMIT",
    pullRequest: "CHANGE_ID",
    changeRequest: (env) => env["CHANGE_URL"] ?? env["CHANGE_ID"],
    address: (env) => env["BUILD_URL"],
  },
];

/** Elsewhere the variable is `false`. */
function numberOf(value: string | undefined): string | undefined {
  return value === "false" ? undefined : value;
}

/** Undefined where a part is not there. */
function joined(...parts: readonly (string | undefined)[]): string | undefined {
  return parts.includes(undefined) ? undefined : parts.join("");
}

/** Of the environment nothing longer is kept. */
const maxLength = 500;

function said(value: string | undefined): string | undefined {
  const text = value?.trim().slice(0, maxLength);
  return text === "" ? undefined : text;
}
