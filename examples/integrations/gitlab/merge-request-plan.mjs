// `write PLAN.md PLAN.json` posts the plan of this pipeline as the one comment on its merge request. `find` prints the ID of the plan that
// was approved on the merge request whose merge is CI_COMMIT_SHA, the address of the merge request, and who approved it. It fails where anything is in doubt: then nothing is applied.
//
// What counts is the comment of the owner of PLAN_NOTE_TOKEN, edited by nobody, with its marks in the first two lines. Comments of other
// people are not read. The approval must be younger than the comment, and the comment of the last commit.
import { readFileSync } from "node:fs";

const { CI_API_V4_URL, CI_PROJECT_ID, PLAN_NOTE_TOKEN = "", ...env } = process.env;
const mark = "<!-- roster:plan -->";
const marks = /^<!-- roster:plan -->\n<!-- roster:approve plan=([0-9a-f]{16}) commit=([0-9a-f]{40}) -->\n/u;

async function api(path, { method = "GET", body } = {}) {
  const response = await fetch(`${CI_API_V4_URL}${path}`, {
    method,
    headers: { "private-token": PLAN_NOTE_TOKEN, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`GitLab answered ${response.status} to ${method} ${path}`);
  return response.status === 204 ? undefined : response.json();
}

async function all(path) {
  const items = [];
  for (let page = 1; ; page++) {
    const next = await api(`${path}?sort=asc&order_by=created_at&per_page=100&page=${page}`);
    items.push(...next);
    if (next.length < 100) return items;
  }
}

const requests = `/projects/${CI_PROJECT_ID}/merge_requests`;

/** The comments of the owner of the token that begin as its plans do. */
async function ownNotes(iid) {
  const { id } = await api("/user");
  const notes = await all(`${requests}/${iid}/notes`);
  return {
    notes,
    ours: notes.filter(({ system, author, body }) => !system && author.id === id && body.startsWith(mark)),
  };
}

/** A new comment each time: one that was edited counts for nothing. */
async function write(markdown, json) {
  const iid = env.CI_MERGE_REQUEST_IID;
  const commit = env.CI_MERGE_REQUEST_SOURCE_BRANCH_SHA || env.CI_COMMIT_SHA;
  const { plan_id: plan } = JSON.parse(readFileSync(json, "utf8"));
  const [, ...text] = readFileSync(markdown, "utf8").split("\n");
  const approve = plan === undefined ? [] : [`<!-- roster:approve plan=${plan} commit=${commit} -->`];
  const says = plan === undefined ? [] : ["", `Approving commit ${commit} approves this plan.`, ""];
  const { ours } = await ownNotes(iid);
  for (const { id } of ours) await api(`${requests}/${iid}/notes/${id}`, { method: "DELETE" });
  const body = [mark, ...approve, ...text, ...says].join("\n");
  await api(`${requests}/${iid}/notes`, { method: "POST", body: { body } });
}

async function find() {
  const sha = env.CI_COMMIT_SHA;
  const merged = (await api(`/projects/${CI_PROJECT_ID}/repository/commits/${sha}/merge_requests`)).filter(
    (one) =>
      one.state === "merged" &&
      one.target_branch === env.CI_COMMIT_BRANCH &&
      [one.merge_commit_sha ?? one.squash_commit_sha ?? one.sha].includes(sha),
  );
  const [request, another] = merged;
  if (request === undefined || another !== undefined)
    throw new Error("this commit is not the merge of one merge request");
  const name = `merge request !${request.iid}`;
  if (request.source_project_id !== request.target_project_id) throw new Error(`${name} comes from a fork`);
  const { notes, ours } = await ownNotes(request.iid);
  const [note, second] = ours;
  if (note === undefined) throw new Error(`${name} has no comment with a plan`);
  if (second !== undefined) throw new Error(`${name} has several comments with a plan`);
  if (note.created_at !== note.updated_at) throw new Error(`the plan on ${name} was edited`);
  const [, plan, commit] = marks.exec(note.body) ?? [];
  if (plan === undefined) throw new Error(`the comment on ${name} names no plan`);
  if (commit !== request.sha)
    throw new Error(`the plan on ${name} is of ${commit}, but the last commit is ${request.sha}`);
  const { approved_by: approvers } = await api(`${requests}/${request.iid}/approvals`);
  const approved = approvers.filter(
    ({ user }) =>
      user.id !== request.author.id &&
      notes.some(
        ({ system, author, body, created_at: at }) =>
          system &&
          author.id === user.id &&
          body === "approved this merge request" &&
          Date.parse(at) > Date.parse(note.created_at),
      ),
  );
  if (approved.length === 0) throw new Error(`nobody has approved ${name} after its last plan`);
  console.log([plan, request.web_url, approved.map(({ user }) => user.username).join(",")].join(" "));
}

const [command, ...files] = process.argv.slice(2);
try {
  if (PLAN_NOTE_TOKEN === "") throw new Error("PLAN_NOTE_TOKEN is not set");
  if (command === "write") await write(...files);
  else await find();
} catch (error) {
  console.error(`error: ${error.message}`);
  if (command !== "write")
    console.error("Nothing was applied. Start the job `apply saved plan` to approve a saved plan.");
  process.exitCode = 1;
}
