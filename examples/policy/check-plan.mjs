// Judges a saved plan by rules of your own, before anybody approves it:
//   roster plan --out plan.bin
//   roster show plan.bin --format json > plan.json
//   roster access plan.bin --format json > access.json
//   node check-plan.mjs plan.json access.json
// Prints each objection and exits with 1 if there is one. roster.rego has the same rules for Conftest and OPA.
import { readFileSync } from "node:fs";

const privilegedRoles = ["ACCOUNT_ADMIN", "PLATFORM_ADMIN", "SYSTEM_OWNER"];
const contractorDomains = ["agency.example"];
const contractorRoles = ["AUDITOR", "TEAM_ROLE"];
const deniedFindings = ["unmanaged-privilege"];
const exclusiveRoles = ["AUDITOR", "DEVELOPER"];
const limitedRoles = ["ACCOUNT_ADMIN"];
const maxHolders = 2;

const [planFile, accessFile] = process.argv.slice(2);
const objections = judge(readDocument(planFile), readDocument(accessFile));
for (const objection of objections) console.log(objection);
process.exitCode = objections.length === 0 ? 0 : 1;

/** What cannot be read is no document: it has an objection, too. */
function readDocument(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
}

function judge(plan, after) {
  if (!isPlan(plan)) return ["not-a-plan: the input is not a plan of roster in format 1"];
  const refusal = plan.error === null ? [] : [`refused: ${plan.error.code}: ${plan.error.message}`];
  const grants = plan.actions.flatMap(grantsOf);
  const ofPlan = [...privilegesApart(plan, grants), ...contractors(grants), ...findings(plan)];
  return [...new Set([...refusal, ...ofPlan, ...accessAfter(plan, after)])].sort();
}

function isPlan(plan) {
  return (
    typeof plan === "object" &&
    plan !== null &&
    String(plan.format_version).startsWith("1.") &&
    Array.isArray(plan.actions) &&
    Array.isArray(plan.findings) &&
    plan.error !== undefined
  );
}

/** Each role that an action gives. A key of unknown roles gets all of them. */
function grantsOf(action) {
  if (action.kind === "create-user" && action.creates_team !== null) {
    return action.creates_team.access_key_roles.map((role) => ({ action: action.id, who: action.address, role }));
  }
  if (action.kind !== "replace-roles") return [];
  const had = action.before.known === "unknown" ? [] : action.before.value;
  const who = action.key.address ?? action.id;
  return action.roles.filter((role) => !had.includes(role)).map((role) => ({ action: action.id, who, role }));
}

/** A plan that gives a privileged role does nothing else. */
function privilegesApart({ actions }, grants) {
  const privileged = grants.filter(({ role }) => privilegedRoles.includes(role));
  const apart = new Set(privileged.map(({ action }) => action));
  if (actions.every(({ id }) => apart.has(id))) return [];
  return privileged.map(
    ({ who, role }) => `privileges-apart: ${who} gets ${role}, and the plan changes more than that`,
  );
}

/** People of these domains get certain roles only. */
function contractors(grants) {
  const isContractor = (who) => contractorDomains.some((domain) => who.endsWith(`@${domain}`));
  return grants
    .filter(({ who, role }) => isContractor(who) && !contractorRoles.includes(role))
    .map(({ who, role }) => `contractors: ${who} gets ${role}`);
}

/** Nothing is applied while one of these findings is open. */
function findings(plan) {
  return plan.findings
    .filter(({ code }) => deniedFindings.includes(code))
    .map(({ code, subject }) => `findings: ${code}: ${subject}`);
}

/** Who holds what once the plan is applied. What was not read may be anything. */
function accessAfter(plan, after) {
  if (!isAccessOf(plan, after)) return ["not-the-access: the second input is not the access of this plan"];
  const holdersOf = (role) => holders(after.access.filter((key) => key.after?.includes(role)));
  const both = holdersOf(exclusiveRoles[0]).filter((who) =>
    exclusiveRoles.every((role) => holdersOf(role).includes(who)),
  );
  const crowded = limitedRoles.filter((role) => holdersOf(role).length > maxHolders);
  return [
    ...after.unread.map(({ what, person, prefix }) => `unread: ${what} of ${prefix ?? person ?? "the service"}`),
    ...both.map((who) => `exclusive-roles: ${who} would have ${exclusiveRoles.join(" and ")}`),
    ...crowded.map((role) => `max-holders: ${holdersOf(role).join(", ")} would have ${role}`),
  ];
}

function isAccessOf(plan, after) {
  return after?.plan_id === plan.plan_id && Array.isArray(after.access) && Array.isArray(after.unread);
}

/** A key of nobody known counts as a person. */
function holders(keys) {
  return [...new Set(keys.map(({ person, prefix }) => person ?? prefix))].sort();
}
