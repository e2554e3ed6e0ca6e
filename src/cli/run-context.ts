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
    changeRequest:
      said(env["ROSTER_CHANGE_REQUEST"]) ??
      said(system?.changeRequest.map((one) => filled(one, env)).find((value) => value !== undefined)),
    ...(approvers.length === 0 ? {} : { approvers }),
  };
  if (system === undefined) return { actor: { name: user, source: "os" }, ...approval };
  const { source, actor, commit, address } = system;
  const name = actor.map((variable) => said(env[variable])).find((value) => value !== undefined);
  const run = { commit: said(env[commit]), pipeline: said(filled(address, env)) };
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
  readonly source: string;
  readonly marker: string;
  /** Variables that name who started the run, the best one first. */
  readonly actor: readonly string[];
  readonly commit: string;
  /** A variable that only jobs of pull requests have. */
  readonly pullRequest: string;
  /** Where all jobs have it: which of its values say so. */
  readonly pullRequestValues?: RegExp;
  /** The address of the change request, else its number, with variables in braces: only in jobs of pull requests. */
  readonly changeRequest: readonly string[];
  readonly address: string;
}

const pipelineSystems: readonly PipelineSystem[] = [
  {
    source: "github",
    marker: "GITHUB_ACTIONS",
    actor: ["GITHUB_TRIGGERING_ACTOR", "GITHUB_ACTOR"],
    commit: "GITHUB_SHA",
    pullRequest: "GITHUB_EVENT_NAME",
    pullRequestValues: /^pull_request/u,
    changeRequest: ["{GITHUB_SERVER_URL}/{GITHUB_REPOSITORY}/pull/{GITHUB_REF}"],
    address: "{GITHUB_SERVER_URL}/{GITHUB_REPOSITORY}/actions/runs/{GITHUB_RUN_ID}",
  },
  {
    source: "gitlab",
    marker: "GITLAB_CI",
    actor: ["GITLAB_USER_LOGIN"],
    commit: "CI_COMMIT_SHA",
    pullRequest: "CI_MERGE_REQUEST_IID",
    changeRequest: ["{CI_MERGE_REQUEST_PROJECT_URL}/-/merge_requests/{CI_MERGE_REQUEST_IID}"],
    address: "{CI_JOB_URL}",
  },
  {
    source: "azure",
    marker: "TF_BUILD",
    actor: ["BUILD_REQUESTEDFOREMAIL", "BUILD_REQUESTEDFOR"],
    commit: "BUILD_SOURCEVERSION",
    pullRequest: "SYSTEM_PULLREQUEST_PULLREQUESTID",
    changeRequest: ["{SYSTEM_PULLREQUEST_PULLREQUESTID}"],
    address: "{SYSTEM_COLLECTIONURI}{SYSTEM_TEAMPROJECT}/_build/results?buildId={BUILD_BUILDID}",
  },
  {
    source: "bitbucket",
    marker: "BITBUCKET_BUILD_NUMBER",
    actor: ["BITBUCKET_STEP_TRIGGERER_UUID"],
    commit: "BITBUCKET_COMMIT",
    pullRequest: "BITBUCKET_PR_ID",
    changeRequest: ["{BITBUCKET_PR_ID}"],
    address: "{BITBUCKET_GIT_HTTP_ORIGIN}/pipelines/results/{BITBUCKET_BUILD_NUMBER}",
  },
  {
    source: "buildkite",
    marker: "BUILDKITE",
    actor: ["BUILDKITE_BUILD_CREATOR_EMAIL", "BUILDKITE_BUILD_CREATOR"],
    commit: "BUILDKITE_COMMIT",
    pullRequest: "BUILDKITE_PULL_REQUEST",
    changeRequest: ["{BUILDKITE_PULL_REQUEST}"],
    address: "{BUILDKITE_BUILD_URL}",
  },
  {
    source: "circleci",
    marker: "CIRCLECI",
    actor: ["CIRCLE_USERNAME"],
    commit: "CIRCLE_SHA1",
    pullRequest: "CIRCLE_PULL_REQUEST",
    changeRequest: ["{CIRCLE_PULL_REQUEST}"],
    address: "{CIRCLE_BUILD_URL}",
  },
  {
    source: "jenkins",
    marker: "JENKINS_URL",
    actor: ["BUILD_USER_ID", "CHANGE_AUTHOR"],
    commit: "GIT_COMMIT",
    pullRequest: "CHANGE_ID",
    changeRequest: ["{CHANGE_URL}", "{CHANGE_ID}"],
    address: "{BUILD_URL}",
  },
];

/** Undefined where a part is not there. GitHub has the number within a reference, and Buildkite `false` where there is no pull request. */
function filled(template: string, env: Host["env"]): string | undefined {
  let isWhole = true;
  const text = template.replace(/\{(\w+)\}/gu, (_, name: string) => {
    const value = name === "GITHUB_REF" ? /^refs\/pull\/(\d+)\//u.exec(env[name] ?? "")?.[1] : env[name];
    isWhole &&= value !== undefined && value !== "false";
    return value ?? "";
  });
  return isWhole ? text : undefined;
}

/** Of the environment nothing longer is kept. */
const maxLength = 500;

function said(value: string | undefined): string | undefined {
  const text = value?.trim().slice(0, maxLength);
  return text === "" ? undefined : text;
}
