import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { validPlanDocument } from "../../src/codec/generated/plan.js";
import { decodePlanDocument } from "../../src/plan/plan-file.ts";
import { exampleFiles, exampleSeed } from "./examples.ts";
import { withGeneratedParts } from "./pages/generated-parts.ts";
import { playPage } from "./pages/play-page.ts";
import { reviewScreen } from "./pages/review-screen.tsx";
import { isRecording } from "./scene.ts";
import { setStage } from "./stage.ts";

const docs = readdirSync("docs", { recursive: true, encoding: "utf8" }).sort();
const pages = ["README.md", ...docs.flatMap((file) => (file.endsWith(".md") ? [`docs/${file}`] : []))];

function compareFile(file: string, now: string): void {
  if (isRecording) writeFileSync(file, now);
  else expect(readFileSync(file, "utf8")).toBe(now);
}

/** What a doctor says of Node would differ from one to another. */
beforeAll(() => {
  vi.stubGlobal("process", Object.create(process, { version: { value: "v24.0.0" } }));
});
afterAll(() => void vi.unstubAllGlobals());

describe("README and docs", () => {
  test.each(pages)("%s shows what the commands print, and what the sources say", async (page) => {
    const text = readFileSync(page, "utf8");
    compareFile(page, await playPage(withGeneratedParts(text)));
  });

  test("the picture is the access map of a real run", async () => {
    const [files, seed] = [exampleFiles("leavers"), exampleSeed("leavers")];
    const stage = await setStage({ files, seed });
    const { stdout } = await stage.run({ words: ["access", "examples/leavers", "--format", "svg"] });
    stage.close();
    compareFile("docs/images/access.svg", stdout);
  });

  test("the review that is shown is the screen of a real plan", async () => {
    const [files, seed] = [exampleFiles("leavers"), exampleSeed("leavers")];
    const stage = await setStage({ files, seed });
    const { stdout } = await stage.run({ words: ["plan", "examples/leavers", "--format", "json"] });
    stage.close();
    const saved = decodePlanDocument(stdout, validPlanDocument);
    if (!saved.ok) throw new Error(saved.error);
    const screen = await reviewScreen(saved.value);
    const page = readFileSync("docs/reading-a-plan.md", "utf8");
    const shown = /(<!-- review: examples\/leavers -->\n```text\n)[^`]*```/u;
    const frame = screen.replace(/ +$/gmu, "").trimEnd();
    compareFile(
      "docs/reading-a-plan.md",
      page.replace(shown, (_, begin: string) => `${begin}${frame}\n\`\`\``),
    );
  });
});
