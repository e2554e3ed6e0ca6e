// The plan that was approved on the pull request whose merge is the commit in GITHUB_SHA. Prints its ID, and writes the outputs `plan_id`,
// `change_request` and `approvers` of the step. It fails where anything is in doubt: then nothing is applied.
//
// What counts is the comment of roster-plan.yml: by github-actions[bot], edited by nobody else, with its marks in the first two lines.
// Comments of other people are not read. The approval must be of the last commit, younger than the comment, and of a person who may write.
import { appendFileSync } from "node:fs";

const query = `query ($owner: String!, $name: String!, $commit: GitObjectID!) {
  repository(owner: $owner, name: $name) {
    object(oid: $commit) {
      ... on Commit {
        associatedPullRequests(first: 20) {
          nodes {
            number merged isCrossRepository baseRefName headRefOid
            author { login }
            mergeCommit { oid }
            comments(first: 100) {
              nodes { body createdAt lastEditedAt author { __typename login } editor { __typename login } }
            }
            latestOpinionatedReviews(first: 100, writersOnly: true) {
              nodes { state submittedAt commit { oid } author { __typename login } }
            }
          }
        }
      }
    }
  }
}`;

const marks = /^<!-- roster:plan -->\r?\n<!-- roster:approve plan=([0-9a-f]{16}) commit=([0-9a-f]{40}) -->\r?\n/u;

/** The ID of the plan, and who approved which pull request; a text says why there is none. */
export function approvedPlan(pullRequests, { commit, branch }) {
  const merged = pullRequests.filter(
    (one) => one.merged && one.baseRefName === branch && one.mergeCommit?.oid === commit,
  );
  const [pull, another] = merged;
  if (pull === undefined || another !== undefined) return "this commit is not the merge of one pull request";
  const name = `pull request #${pull.number}`;
  if (pull.isCrossRepository) return `${name} comes from a fork, so its plan was made without a key`;
  const isBot = (actor) => actor?.__typename === "Bot" && actor.login === "github-actions";
  const ours = pull.comments.nodes.filter(
    ({ author, body }) => isBot(author) && body.startsWith("<!-- roster:plan -->"),
  );
  const [comment, second] = ours;
  if (comment === undefined) return `${name} has no comment of roster-plan.yml`;
  if (second !== undefined) return `${name} has several comments of roster-plan.yml`;
  if (comment.lastEditedAt !== null && !isBot(comment.editor)) return `a person has edited the comment on ${name}`;
  const [, plan, head] = marks.exec(comment.body) ?? [];
  if (plan === undefined) return `the comment on ${name} names no plan`;
  if (head !== pull.headRefOid) return `the plan on ${name} is of ${head}, but the last commit is ${pull.headRefOid}`;
  const written = Date.parse(comment.lastEditedAt ?? comment.createdAt);
  const approvals = pull.latestOpinionatedReviews.nodes.filter(
    ({ state, author, commit: of, submittedAt }) =>
      state === "APPROVED" &&
      author?.__typename === "User" &&
      author.login !== pull.author?.login &&
      of?.oid === head &&
      Date.parse(submittedAt) > written,
  );
  if (approvals.length === 0) return `nobody has approved ${name} after its last plan`;
  return { plan, pull: pull.number, approvers: approvals.map(({ author }) => author.login) };
}

async function main({
  GITHUB_GRAPHQL_URL,
  GITHUB_REPOSITORY,
  GITHUB_SHA,
  GITHUB_REF_NAME,
  GITHUB_OUTPUT,
  GH_TOKEN,
  ...env
}) {
  const [owner, name] = GITHUB_REPOSITORY.split("/");
  const response = await fetch(GITHUB_GRAPHQL_URL, {
    method: "POST",
    headers: { authorization: `Bearer ${GH_TOKEN}`, "content-type": "application/json", "user-agent": "roster" },
    body: JSON.stringify({ query, variables: { owner, name, commit: GITHUB_SHA } }),
  });
  const { data, errors } = await response.json();
  const pullRequests = data?.repository?.object?.associatedPullRequests?.nodes;
  if (!response.ok || errors !== undefined || pullRequests === undefined)
    throw new Error(`GitHub answered ${response.status} without the pull request`);
  const found = approvedPlan(pullRequests, { commit: GITHUB_SHA, branch: GITHUB_REF_NAME });
  if (typeof found === "string") throw new Error(found);
  const request = `${env.GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}/pull/${found.pull}`;
  appendFileSync(GITHUB_OUTPUT, `plan_id=${found.plan}\n`);
  appendFileSync(GITHUB_OUTPUT, `change_request=${request}\napprovers=${found.approvers.join(",")}\n`);
  console.log(found.plan);
}

try {
  await main(process.env);
} catch (error) {
  console.log(
    `::error title=roster::No approved plan: ${error.message}. Run this workflow by hand to approve a saved plan.`,
  );
  process.exitCode = 1;
}
