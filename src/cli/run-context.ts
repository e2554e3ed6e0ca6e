import type { StartedBy } from "../library/log.ts";
import { definedFields } from "../model/collections.ts";
import type { Actor } from "../model/values.ts";
import type { Host } from "./host.ts";

export function runContextOf({ env, user }: Pick<Host, "env" | "user">): StartedBy & { readonly actor: Actor } {
  const system = systemOf(env);
  const approvers = said(env["ROSTER_APPROVERS"])
    ?.split(/[\s,]+/u)
    .filter((name) => name !== "");
  const first = (texts: readonly (string | undefined)[] = []) => texts.map(said).find((text) => text !== undefined);
  const actor = first(system?.actor.map((name) => env[name])) ?? user;
  const filledIn = system?.changeRequest.map((one) => filled(one, env)) ?? [];
  return {
    actor: { name: actor, source: system?.source ?? "os" },
    ...definedFields({
      commit: system && said(env[system.commit]),
      pipeline: system && said(filled(system.address, env)),
      // The pipeline of a merge knows no change request. The script that verifies the approvals names it.
      changeRequest: first([env["ROSTER_CHANGE_REQUEST"], ...filledIn]),
      approvers: approvers?.length ? approvers : undefined,
    }),
  };
}

/** By which variable the job is known to be a pull request's, such as `GITHUB_EVENT_NAME=pull_request`; undefined for other jobs. */
export function pullRequestOf({ env }: Pick<Host, "env">): string | undefined {
  const { pullRequest = "", pullRequestValue = "" } = systemOf(env) ?? {};
  const value = said(env[pullRequest]);
  const isOne = value !== undefined && value !== "false" && value.startsWith(pullRequestValue);
  return isOne ? `${pullRequest}=${value}` : undefined;
}

function systemOf(env: Host["env"]): (PipelineSystem & { readonly source: string }) | undefined {
  const [source, system] = Object.entries(pipelineSystems).find(([, { marker }]) => said(env[marker])) ?? [];
  return system && { ...system, source: source ?? "" };
}

interface PipelineSystem {
  readonly marker: string;
  /** Variables that name who started the run, the best one first. */
  readonly actor: readonly string[];
  readonly commit: string;
  /** A variable that only jobs of pull requests have, or else whose value begins so in these. */
  readonly pullRequest: string;
  readonly pullRequestValue?: string;
  /** The address of the change request, else its number, with variables in braces: only in jobs of pull requests. */
  readonly changeRequest: readonly string[];
  readonly address: string;
}

/** By their names in `actor.source`. */
const pipelineSystems: Readonly<Record<string, PipelineSystem>> = {
  github: {
    marker: "GITHUB_ACTIONS",
    actor: ["GITHUB_TRIGGERING_ACTOR", "GITHUB_ACTOR"],
    commit: "GITHUB_SHA",
    pullRequest: "GITHUB_EVENT_NAME",
    pullRequestValue: "pull_request",
    changeRequest: ["{GITHUB_SERVER_URL}/{GITHUB_REPOSITORY}/pull/{GITHUB_REF}"],
    address: "{GITHUB_SERVER_URL}/{GITHUB_REPOSITORY}/actions/runs/{GITHUB_RUN_ID}",
  },
  gitlab: {
    marker: "GITLAB_CI",
    actor: ["GITLAB_USER_LOGIN"],
    commit: "CI_COMMIT_SHA",
    pullRequest: "CI_MERGE_REQUEST_IID",
    changeRequest: ["{CI_MERGE_REQUEST_PROJECT_URL}/-/merge_requests/{CI_MERGE_REQUEST_IID}"],
    address: "{CI_JOB_URL}",
  },
  azure: {
    marker: "TF_BUILD",
    actor: ["BUILD_REQUESTEDFOREMAIL", "BUILD_REQUESTEDFOR"],
    commit: "BUILD_SOURCEVERSION",
    pullRequest: "SYSTEM_PULLREQUEST_PULLREQUESTID",
    changeRequest: ["{SYSTEM_PULLREQUEST_PULLREQUESTID}"],
    address: "{SYSTEM_COLLECTIONURI}{SYSTEM_TEAMPROJECT}/_build/results?buildId={BUILD_BUILDID}",
  },
  bitbucket: {
    marker: "BITBUCKET_BUILD_NUMBER",
    actor: ["BITBUCKET_STEP_TRIGGERER_UUID"],
    commit: "BITBUCKET_COMMIT",
    pullRequest: "BITBUCKET_PR_ID",
    changeRequest: ["{BITBUCKET_PR_ID}"],
    address: "{BITBUCKET_GIT_HTTP_ORIGIN}/pipelines/results/{BITBUCKET_BUILD_NUMBER}",
  },
  buildkite: {
    marker: "BUILDKITE",
    actor: ["BUILDKITE_BUILD_CREATOR_EMAIL", "BUILDKITE_BUILD_CREATOR"],
    commit: "BUILDKITE_COMMIT",
    pullRequest: "BUILDKITE_PULL_REQUEST",
    changeRequest: ["{BUILDKITE_PULL_REQUEST}"],
    address: "{BUILDKITE_BUILD_URL}",
  },
  circleci: {
    marker: "CIRCLECI",
    actor: ["CIRCLE_USERNAME"],
    commit: "CIRCLE_SHA1",
    pullRequest: "CIRCLE_PULL_REQUEST",
    changeRequest: ["{CIRCLE_PULL_REQUEST}"],
    address: "{CIRCLE_BUILD_URL}",
  },
  jenkins: {
    marker: "JENKINS_URL",
    actor: ["BUILD_USER_ID", "CHANGE_AUTHOR"],
    commit: "GIT_COMMIT",
    pullRequest: "CHANGE_ID",
    changeRequest: ["{CHANGE_URL}", "{CHANGE_ID}"],
    address: "{BUILD_URL}",
  },
};

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
