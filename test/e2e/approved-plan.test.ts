import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { emptyDirectory } from "../support/command.ts";
import { onLoopback } from "../support/loopback.ts";
import { runScript } from "../support/script-thread.ts";

interface Call {
  readonly method: string;
  readonly path: string;
  readonly body: string;
}

/** A forge that answers calls with documents, and notes them. */
async function forge(answer: (call: Call) => unknown) {
  const calls: Call[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const call = { method: request.method ?? "", path: request.url ?? "", body: Buffer.concat(chunks).toString() };
    calls.push(call);
    const document = answer(call);
    response.writeHead(document === undefined ? 404 : 200, { "content-type": "application/json" });
    response.end(JSON.stringify(document ?? {}));
  });
  return { url: `http://127.0.0.1:${await onLoopback(server, onTestFinished)}`, calls };
}

const merge = "a".repeat(40);
const head = "b".repeat(40);
const plan = "3f2a90c1d4e5b678";

describe("GitHub: the plan that is applied after a merge", () => {
  const bot = { __typename: "Bot", login: "github-actions" };
  const person = (login: string) => ({ __typename: "User", login });
  const marks = (of: string, id = plan) =>
    `<!-- roster:plan -->\n<!-- roster:approve plan=${id} commit=${of} -->\n## roster plan\n`;
  const comment = {
    body: marks(head),
    createdAt: "2026-11-20T09:00:00Z",
    lastEditedAt: "2026-11-20T10:00:00Z" as string | null,
    author: bot,
    editor: bot as typeof bot | null,
  };
  const review = {
    state: "APPROVED",
    submittedAt: "2026-11-20T11:00:00Z",
    commit: { oid: head },
    author: person("bo"),
  };
  const pull = {
    number: 12,
    merged: true,
    isCrossRepository: false,
    baseRefName: "main",
    headRefOid: head,
    author: { login: "ada" },
    mergeCommit: { oid: merge },
    comments: { nodes: [comment] },
    latestOpinionatedReviews: { nodes: [review] },
  };

  async function found(nodes: readonly unknown[]) {
    const { url, calls } = await forge(() => ({
      data: { repository: { object: { associatedPullRequests: { nodes } } } },
    }));
    const output = join(emptyDirectory(), "output");
    writeFileSync(output, "");
    const env = {
      GITHUB_GRAPHQL_URL: url,
      GITHUB_REPOSITORY: "acme/roster",
      GITHUB_SERVER_URL: "https://github.com",
      GITHUB_SHA: merge,
      GITHUB_REF_NAME: "main",
      GITHUB_OUTPUT: output,
      GH_TOKEN: "t",
    };
    const { code, stdout } = await runScript("examples/integrations/github/approved-plan.mjs", [], env);
    expect(JSON.parse(calls[0]?.body ?? "")).toMatchObject({
      variables: { owner: "acme", name: "roster", commit: merge },
    });
    return { code, stdout, output: readFileSync(output, "utf8") };
  }

  const withComments = (...nodes: readonly unknown[]) => ({ ...pull, comments: { nodes } });
  const withReviews = (...nodes: readonly unknown[]) => ({ ...pull, latestOpinionatedReviews: { nodes } });

  test("is the one in the comment of the workflow, whatever other people write", async () => {
    const hostile = { ...comment, body: marks(head, "0".repeat(16)), author: person("eve"), editor: null };
    const lookalike = { ...hostile, author: person("github-actions") };
    const quoted = { ...comment, body: `> ${marks(head, "1".repeat(16))}`, editor: null, lastEditedAt: null };
    const other = { ...pull, number: 13, mergeCommit: { oid: "c".repeat(40) } };
    const open = { ...pull, number: 14, merged: false, mergeCommit: null };
    expect(await found([open, other, withComments(hostile, lookalike, quoted, comment)])).toEqual({
      code: 0,
      stdout: `${plan}\n`,
      output: `plan_id=${plan}\nchange_request=https://github.com/acme/roster/pull/12\napprovers=bo\n`,
    });
    expect((await found([withComments({ ...comment, lastEditedAt: null, editor: null })])).code).toBe(0);
  });

  const earlier = "d".repeat(40);
  const [one, approved] = ["this commit is not the merge of one pull request", "nobody has approved"];
  const commented = (parts: object) => [withComments({ ...comment, ...parts })];
  const reviewed = (parts: object) => [withReviews({ ...review, ...parts })];

  test.each([
    ["there is no pull request", [], one],
    ["it went to another branch", [{ ...pull, baseRefName: "dev" }], one],
    ["it is ambiguous", [pull, { ...pull, number: 13 }], one],
    ["it comes from a fork", [{ ...pull, isCrossRepository: true }], "pull request #12 comes from a fork"],
    ["only a person wrote it", commented({ author: person("eve") }), "has no comment of roster-plan.yml"],
    ["another app wrote it", commented({ author: { ...bot, login: "x" } }), "has no comment of"],
    ["there are two", [withComments(comment, comment)], "has several comments of roster-plan.yml"],
    ["a person edited it", commented({ editor: person("eve") }), "a person has edited the comment"],
    ["an unknown hand edited it", commented({ editor: null }), "a person has edited the comment"],
    ["the plan failed", commented({ body: "<!-- roster:plan -->\n## Stopped\n" }), "names no plan"],
    ["it is of an earlier commit", commented({ body: marks(earlier) }), "but the last commit is"],
    ["nobody approved", [withReviews()], `${approved} pull request #12 after its last plan`],
    ["the approval is of an earlier commit", reviewed({ commit: { oid: earlier } }), approved],
    ["the plan was made again after the approval", reviewed({ submittedAt: "2026-11-20T09:30:00Z" }), approved],
    ["its author approved it", reviewed({ author: person("ada") }), approved],
    ["a workflow approved it", reviewed({ author: bot }), approved],
    ["changes were requested", reviewed({ state: "CHANGES_REQUESTED" }), approved],
  ])("is none where %s", async (_name, nodes, why) => {
    const { code, stdout, output } = await found(nodes);
    expect({ code, stdout, output }).toEqual({ code: 1, stdout: expect.stringContaining(why), output: "" });
    expect(stdout).toMatch(/^::error title=roster::No approved plan: .*\n$/u);
  });
});

describe("GitLab: the plan that is applied after a merge", () => {
  const me = { id: 1 };
  const body = (of: string, id = plan) =>
    `<!-- roster:plan -->\n<!-- roster:approve plan=${id} commit=${of} -->\ntext\n`;
  const at = "2026-11-20T10:00:00.000Z";
  const note = { id: 5, system: false, author: me, body: body(head), created_at: at, updated_at: at };
  const approval = {
    id: 6,
    system: true,
    author: { id: 8 },
    body: "approved this merge request",
    created_at: "2026-11-20T11:00:00.000Z",
    updated_at: at,
  };
  const request = {
    iid: 12,
    state: "merged",
    target_branch: "main",
    source_project_id: 3,
    target_project_id: 3,
    sha: head,
    merge_commit_sha: merge as string | null,
    squash_commit_sha: null,
    author: { id: 7 },
    web_url: "https://gitlab.example/acme/roster/-/merge_requests/12",
  };
  const printed = `${plan} ${request.web_url} bo\n`;
  const scene = { requests: [request], notes: [note, approval], approvers: [{ user: { id: 8, username: "bo" } }] };

  async function serve({ requests, notes, approvers }: { readonly [Name in keyof typeof scene]: readonly unknown[] }) {
    const { url, calls } = await forge(({ method, path }) => {
      const documents: Readonly<Record<string, unknown>> = {
        "/user": me,
        [`/projects/3/repository/commits/${merge}/merge_requests`]: requests,
        "/projects/3/merge_requests/12/notes": notes,
        "/projects/3/merge_requests/12/approvals": { approved_by: approvers },
      };
      return method === "GET" ? documents[path.replace(/[?].*$/u, "")] : {};
    });
    const env = { CI_API_V4_URL: url, CI_PROJECT_ID: "3", CI_COMMIT_SHA: merge, CI_COMMIT_BRANCH: "main" };
    return { env: { ...env, PLAN_NOTE_TOKEN: "t" }, calls };
  }

  async function found(parts: { readonly [Name in keyof typeof scene]?: readonly unknown[] }) {
    const { env } = await serve({ ...scene, ...parts });
    return runScript("examples/integrations/gitlab/merge-request-plan.mjs", ["find"], env);
  }

  test("is the one in the note of the token's owner, whatever other people write", async () => {
    const hostile = { ...note, author: { id: 9 }, body: body(head, "0".repeat(16)) };
    expect(await found({ notes: [hostile, note, approval] })).toEqual({ code: 0, stdout: printed, stderr: "" });
    expect((await found({ requests: [{ ...request, merge_commit_sha: null, sha: merge }] })).code).toBe(1);
    const forward = { ...request, merge_commit_sha: null, sha: merge };
    const notes = [{ ...note, body: body(merge) }, approval];
    expect((await found({ requests: [forward], notes })).stdout).toBe(printed);
  });

  const requested = (parts: object) => ({ requests: [{ ...request, ...parts }] });
  const noted = (parts: object) => ({ notes: [{ ...note, ...parts }, approval] });
  const approvedBy = (parts: object) => ({ notes: [note, { ...approval, ...parts }] });

  test.each([
    ["there is no merge request", { requests: [] }, "is not the merge of one merge request"],
    ["it went to another branch", requested({ target_branch: "dev" }), "is not the merge of one"],
    ["it comes from a fork", requested({ source_project_id: 4 }), "comes from a fork"],
    ["only a person wrote it", noted({ author: { id: 9 } }), "has no comment with a plan"],
    ["there are two", { notes: [note, note, approval] }, "has several comments with a plan"],
    ["it was edited", noted({ updated_at: "2026-11-20T10:30:00.000Z" }), "was edited"],
    ["it is of an earlier commit", noted({ body: body("d".repeat(40)) }), "the last commit is"],
    ["the plan failed", noted({ body: "<!-- roster:plan -->\nStopped\n" }), "names no plan"],
    ["nobody approved", { approvers: [] }, "nobody has approved merge request !12 after its last plan"],
    ["the approval is older", approvedBy({ created_at: "2026-11-20T09:00:00.000Z" }), "nobody has approved"],
    ["a person wrote what looks like an approval", approvedBy({ system: false }), "nobody has"],
    ["its author approved it", { approvers: [{ user: { id: 7 } }] }, "nobody has approved"],
  ])("is none where %s", async (_name, parts, why) => {
    const { code, stdout, stderr } = await found(parts);
    expect({ code, stdout, stderr }).toEqual({ code: 1, stdout: "", stderr: expect.stringContaining(why) });
  });

  test("is posted anew for each pipeline, and names the plan and the commit", async () => {
    const { env, calls } = await serve({ ...scene, notes: [{ ...note, author: { id: 9 } }, note] });
    const cwd = emptyDirectory();
    writeFileSync(join(cwd, "plan.md"), "<!-- roster:plan -->\n## roster plan\n");
    writeFileSync(join(cwd, "plan.json"), JSON.stringify({ plan_id: plan }));
    const more = { CI_MERGE_REQUEST_IID: "12", CI_COMMIT_SHA: head };
    const args = ["write", join(cwd, "plan.md"), join(cwd, "plan.json")];
    const { code } = await runScript("examples/integrations/gitlab/merge-request-plan.mjs", args, { ...env, ...more });
    const [removed, posted] = calls.filter(({ method }) => method !== "GET");
    expect({ code, removed: [removed?.method, removed?.path] }).toEqual({
      code: 0,
      removed: ["DELETE", "/projects/3/merge_requests/12/notes/5"],
    });
    expect(posted?.path).toBe("/projects/3/merge_requests/12/notes");
    const written = (JSON.parse(posted?.body ?? "") as { readonly body: string }).body;
    expect(written).toMatch(
      new RegExp(`^<!-- roster:plan -->\n<!-- roster:approve plan=${plan} commit=${head} -->\n## roster plan\n`, "u"),
    );
  });
});
