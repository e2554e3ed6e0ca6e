import { expect, test } from "vitest";
import { runContextOf } from "../../../../src/cli/audit/run-context.ts";

const environments: Readonly<Record<string, readonly [env: Readonly<Record<string, string>>, context: object]>> = {
  "GitHub, by whoever started this attempt": [
    {
      GITHUB_ACTIONS: "true",
      GITHUB_ACTOR: "ada",
      GITHUB_TRIGGERING_ACTOR: "olga",
      GITHUB_SHA: "abc",
      GITHUB_SERVER_URL: "https://github.com",
      GITHUB_REPOSITORY: "acme/people",
      GITHUB_RUN_ID: "7",
    },
    {
      actor: { name: "olga", source: "github" },
      commit: "abc",
      pipeline: "https://github.com/acme/people/actions/runs/7",
    },
  ],
  GitLab: [
    {
      GITLAB_CI: "true",
      GITLAB_USER_LOGIN: "ada",
      CI_COMMIT_SHA: "abc",
      CI_JOB_URL: "https://gitlab.example/-/jobs/7",
    },
    { actor: { name: "ada", source: "gitlab" }, commit: "abc", pipeline: "https://gitlab.example/-/jobs/7" },
  ],
  "Jenkins, which names nobody": [
    { JENKINS_URL: "https://ci.example", GIT_COMMIT: "abc" },
    { actor: { name: "root", source: "jenkins" }, commit: "abc", pipeline: undefined },
  ],
  "an address with a part missing": [
    { GITHUB_ACTIONS: "true", GITHUB_ACTOR: "ada", GITHUB_SERVER_URL: "https://github.com" },
    { actor: { name: "ada", source: "github" }, commit: undefined, pipeline: undefined },
  ],
  "a terminal": [
    { GITHUB_ACTIONS: " " },
    { actor: { name: "root", source: "os" }, commit: undefined, pipeline: undefined },
  ],
};

test.each(Object.entries(environments))("a run knows who started it: %s", (_, [env, context]) => {
  expect(runContextOf({ env, user: "root" })).toEqual(context);
});

test("keeps no more than 500 characters of what the environment says", () => {
  const { commit } = runContextOf({ env: { GITLAB_CI: "true", CI_COMMIT_SHA: "a".repeat(10_000) }, user: "root" });
  expect(commit).toBe("a".repeat(500));
});
