import fc from "fast-check";
import { expect, test } from "vitest";
import { prefixOf } from "../../src/model/plan.ts";
import { defaultPrivilegedRoles } from "../../src/model/values.ts";
import { planChanges, privilegedPart } from "../../src/report/document/actions.ts";
import { documentOf } from "../../src/report/document/document.ts";
import { planNames } from "../../src/report/document/names.ts";
import { plain } from "../../src/report/document/tree.ts";
import { viewNames } from "../../src/report/outcome.ts";
import { safe } from "../../src/report/safe.ts";
import { renderPlan } from "../../src/report/text/text.ts";
import { always } from "../support/always.ts";
import { anyPlan } from "../support/arbitrary-plan.ts";
import { runs } from "../support/property-runs.ts";

/** As plans are: nobody is added to a team by a call for nobody. */
const plans = anyPlan.map((plan) => ({
  ...plan,
  actions: plan.actions.filter((action) => action.kind !== "add-members" || action.members.length > 0),
}));

const settings = { numRuns: runs(300) };

test("each call of a plan belongs to one team, person or key of its tree", () => {
  always(settings, plans, (plan) => {
    const { sections } = documentOf({ command: "plan", exitCode: 0, diagnostics: [], plan });
    const groups = sections.flatMap(({ is, blocks }) =>
      blocks.flatMap((block) =>
        is === "open" && block.kind === "entries" && block.as === "changes" ? [block.entries] : [],
      ),
    );
    const calls = groups.flatMap((entries) => [...new Set(entries.flatMap(({ actions }) => actions))]);
    expect([...calls].sort()).toEqual(plan.actions.map(({ id }) => id).sort());
  });
});

test("no view lets a text from outside do more than be seen", () => {
  always(settings, plans, fc.constantFrom(...viewNames), (plan, view) => {
    const text = renderPlan(plan, { paint: plain, view }).replaceAll("\n", "");
    expect(text).not.toMatch(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]|(?!\u{200D})\p{Cf}/u);
  });
});

test("whoever is touched by a privileged role is named", () => {
  always(settings, plans, (plan) => {
    const text = renderPlan(plan, { paint: plain });
    for (const change of planChanges(plan)) {
      if (privilegedPart(change, defaultPrivilegedRoles) === undefined) continue;
      const { address, action } = change;
      const prefix = (action.kind === "replace-roles" ? prefixOf(action) : undefined) ?? action.id;
      expect(text).toContain(safe(address === undefined ? prefix : planNames(plan).email(address)).trim());
    }
  });
});

test("a terminal of any width shows the same words in the same order", () => {
  const words = (text: string) => text.split(/\s+/u).filter((word) => word !== "");
  always(settings, plans, fc.constantFrom(...viewNames), fc.integer({ min: 1, max: 140 }), (plan, view, columns) => {
    const told = { paint: plain, view } as const;
    const narrow = renderPlan(plan, { ...told, columns });
    expect(words(narrow)).toEqual(words(renderPlan(plan, told)));
    expect(narrow.endsWith("\n")).toBe(true);
  });
});
