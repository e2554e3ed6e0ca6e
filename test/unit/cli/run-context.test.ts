import { expect, test } from "vitest";
import { pullRequestOf, runContextOf } from "../../../src/cli/run-context.ts";
import { casesOf } from "../../support/cases.ts";

/** Such as `CI=true USER=ada`. */
function variablesOf(env: string): Readonly<Record<string, string>> {
  return Object.fromEntries(env.split(/ (?=[A-Z_]+=)/u).map((one) => one.split(/=(.*)/u)));
}

const onGitHub = "GITHUB_ACTIONS=true GITHUB_SERVER_URL=https://github.com GITHUB_REPOSITORY=acme/people";

test.each(
  casesOf([
    "GitHub, by whoever started this attempt | GITHUB_ACTIONS=true GITHUB_ACTOR=ada GITHUB_TRIGGERING_ACTOR=olga GITHUB_SHA=abc GITHUB_SERVER_URL=https://github.com GITHUB_REPOSITORY=acme/people GITHUB_RUN_ID=7 | olga | github | abc | https://github.com/acme/people/actions/runs/7",
    "GitLab | GITLAB_CI=true GITLAB_USER_LOGIN=ada CI_COMMIT_SHA=abc CI_JOB_URL=https://gitlab.example/-/jobs/7 | ada | gitlab | abc | https://gitlab.example/-/jobs/7",
    "Jenkins, which names nobody | JENKINS_URL=https://ci.example GIT_COMMIT=abc | root | jenkins | abc | ",
    "an address with a part missing | GITHUB_ACTIONS=true GITHUB_ACTOR=ada GITHUB_SERVER_URL=https://github.com | ada | github | | ",
    "a terminal | GITHUB_ACTIONS= | root | os | | ",
  ]),
)("a run knows who started it: %s", (_, env = "", name = "", source = "", commit = "", pipeline = "") => {
  const known = { commit: commit || undefined, pipeline: pipeline || undefined };
  expect(runContextOf({ env: variablesOf(env), user: "root" })).toEqual({ actor: { name, source }, ...known });
});

/** The variables of a job, its change request, and by which of them it is known to be of a pull request. */
test.each([
  ["GITHUB_ACTIONS=true GITHUB_EVENT_NAME=pull_request", undefined, "GITHUB_EVENT_NAME=pull_request"],
  ["GITHUB_ACTIONS=true GITHUB_EVENT_NAME=pull_request_target", undefined, "GITHUB_EVENT_NAME=pull_request_target"],
  ["GITHUB_ACTIONS=true GITHUB_EVENT_NAME=push", undefined, undefined],
  ["GITHUB_EVENT_NAME=pull_request", undefined, undefined],
  [`${onGitHub} GITHUB_REF=refs/pull/12/merge`, "https://github.com/acme/people/pull/12", undefined],
  [`${onGitHub} GITHUB_REF=refs/heads/main`, undefined, undefined],
  ["GITLAB_CI=true", undefined, undefined],
  [
    "GITLAB_CI=1 CI_MERGE_REQUEST_PROJECT_URL=https://gitlab.example/people CI_MERGE_REQUEST_IID=12",
    "https://gitlab.example/people/-/merge_requests/12",
    "CI_MERGE_REQUEST_IID=12",
  ],
  ["TF_BUILD=True SYSTEM_PULLREQUEST_PULLREQUESTID=7", "7", "SYSTEM_PULLREQUEST_PULLREQUESTID=7"],
  ["BITBUCKET_BUILD_NUMBER=1 BITBUCKET_PR_ID=7", "7", "BITBUCKET_PR_ID=7"],
  ["BUILDKITE=true BUILDKITE_PULL_REQUEST=7", "7", "BUILDKITE_PULL_REQUEST=7"],
  ["BUILDKITE=true BUILDKITE_PULL_REQUEST=false", undefined, undefined],
  [
    "CIRCLECI=true CIRCLE_PULL_REQUEST=https://x.example/7",
    "https://x.example/7",
    "CIRCLE_PULL_REQUEST=https://x.example/7",
  ],
  ["JENKINS_URL=https://ci.example CHANGE_ID=7", "7", "CHANGE_ID=7"],
  ["GITLAB_CI=1 ROSTER_CHANGE_REQUEST=https://x.example/8", "https://x.example/8", undefined],
  ["BUILDKITE=true BUILDKITE_PULL_REQUEST=7 ROSTER_CHANGE_REQUEST=", "7", "BUILDKITE_PULL_REQUEST=7"],
])("a run with %s has the change request %s, and is of a pull request by %s", (written, changeRequest, by) => {
  const env = variablesOf(written);
  expect([runContextOf({ env, user: "root" }).changeRequest, pullRequestOf({ env })]).toEqual([changeRequest, by]);
});

test.each([
  ["bo,cy", ["bo", "cy"]],
  [" bo, cy  di\n", ["bo", "cy", "di"]],
  [" , ", undefined],
  ["", undefined],
])("a run knows its approvers: %j", (ROSTER_APPROVERS, approvers) => {
  expect(runContextOf({ env: { ROSTER_APPROVERS }, user: "root" }).approvers).toEqual(approvers);
});

test("keeps no more than 500 characters of what the environment says", () => {
  const { commit } = runContextOf({ env: { GITLAB_CI: "true", CI_COMMIT_SHA: "a".repeat(10_000) }, user: "root" });
  expect(commit).toBe("a".repeat(500));
});
