import type { FindingDraft } from "../draft.ts";
import type { PlanContext } from "../question.ts";
import { unknownBasis } from "../subjects.ts";

/** What keeps this run from seeing who holds what, where it was to read everyone. */
export function reportHiddenAccess({ snapshot }: PlanContext): readonly FindingDraft[] {
  const { service, everyone, capabilities } = snapshot;
  const subject = `service ${service}`;
  const common = { subject, because: [], concerns: [] };
  const found: FindingDraft[] = [];
  if (everyone.read === "incomplete") {
    const message =
      `The list of users is not complete: ${everyone.why}. Whoever is missing from it may be anybody and hold anything: ` +
      "look again later, or with a key that may see every user.";
    found.push({ ...common, code: "everyone-unread", message, restsOn: [unknownBasis("everyone", everyone.why)] });
  }
  if (capabilities.keysOnUsers === "hidden" || capabilities.rolesOnKeys === "hidden") {
    const what = capabilities.keysOnUsers === "hidden" ? "the keys of users" : "the roles of keys";
    const message =
      `The service does not show ${what}, so that nobody is seen to hold a privileged role beyond the roster. ` +
      "Look it up in the service where that matters.";
    found.push({
      ...common,
      code: "privileges-unread",
      message,
      restsOn: [unknownBasis("privileged roles", `${what} are not shown`)],
    });
  }
  return found;
}
