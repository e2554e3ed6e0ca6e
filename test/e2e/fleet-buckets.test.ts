import { describe, expect, onTestFinished, test } from "vitest";
import { noon } from "../support/event-builders.ts";
import { clockAt } from "../support/fixed-ports.ts";
import { fleetScene } from "../support/fleet-scene.ts";
import { type SmallS3Options, smallS3 } from "../support/small-s3.ts";

const names = ["a", "b", "c"];
const credentials = { AWS_ACCESS_KEY_ID: "AKIDROSTER", AWS_SECRET_ACCESS_KEY: "s3cret-of-the-bucket" };

/** A fleet that agrees with its services, and a bucket for its reports. */
async function scene(options: Omit<SmallS3Options, "clock"> = {}) {
  const bucket = await smallS3({ ...options, clock: clockAt(noon) });
  onTestFinished(() => bucket.close());
  const fleet = await fleetScene(names.map((name) => ({ name })));
  await fleet.fleet("apply --auto-approve");
  const env = { ...credentials, AWS_REGION: "us-east-1", AWS_ENDPOINT_URL_S3: bucket.endpoint };
  const run = (words: string, own: Readonly<Record<string, string>> = {}) => fleet.fleet(words, { ...env, ...own });
  const shard = (index: number, words = "") =>
    run(`drift --shard auto/2 --report json=s3://acme/night${words}`, { JOB_COMPLETION_INDEX: `${index}` });
  return { bucket, fleet, env, run, shard };
}

describe("reports of shards in a bucket", () => {
  test("are written by each shard, and joined from any pages of a list", async () => {
    const { bucket, fleet, run, shard } = await scene({ pageSize: () => 1 + Math.floor(Math.random() * 2) });
    fleet.servers.get("c")?.world.setKeyRoles("red-key", ["ACCOUNT_ADMIN", "DEVELOPER", "TEAM_ROLE"]);
    await shard(0, "/ --report html=s3://acme/night");
    const missing = await run("summarize s3://acme/night");
    expect([missing.code, missing.stdout]).toEqual([
      7,
      expect.stringContaining("No summary of shard 2 of 2: 1 target missing.\n"),
    ]);
    await shard(1);
    expect(bucket.paths().filter((path) => !path.endsWith(".html"))).toEqual([
      "night/summary-1-of-2.json",
      "night/summary-2-of-2.json",
      ...names.map((name) => `night/targets/${name}.json`),
    ]);
    expect(bucket.paths().filter((path) => path.endsWith(".html"))).toHaveLength(3);
    const whole = await run("summarize s3://acme/night/ --format json --report html=s3://acme/night");
    expect([whole.code, JSON.parse(whole.stdout).fleet]).toMatchObject([
      2,
      { selected: 3, privileged_gains: 1, counts: { clean: 2, changes: 1 }, targets: names.map((name) => ({ name })) },
    ]);
    const page = bucket.text("night/index.html") ?? "";
    expect(page).toContain("<h1>roster fleet drift: 1 privileged gain, 1 with changes");
    const [link = ""] = /(?<=href=")targets[^"]*/u.exec(page) ?? [];
    expect(bucket.text(`night/${link}`)).toContain("<h1>");
    expect(bucket.text("night/summary.json")).toBe(whole.stdout);
    const all = bucket
      .paths()
      .map((path) => bucket.text(path))
      .join("\n");
    for (const secret of [...Object.values(fleet.env), ...Object.values(credentials)])
      expect(all).not.toContain(secret);
  });

  test("of another night do not stand in for a shard that is missing", async () => {
    const { bucket, fleet, run, shard } = await scene();
    await shard(0);
    await shard(1);
    expect((await run("summarize s3://acme/night")).code).toBe(0);
    const old = JSON.parse(bucket.text("night/summary-2-of-2.json") ?? "");
    old.fleet.finished_at = "2026-11-01T03:00:00.000Z";
    bucket.put("night/summary-2-of-2.json", JSON.stringify(old));
    const { code, stdout, stderr } = await run("summarize s3://acme/night");
    expect([code, stdout]).toEqual([7, expect.stringContaining("No summary of shard 2 of 2")]);
    expect(stderr).toContain("left out, older than 20h: s3://acme/night/summary-2-of-2.json\n");
    expect(fleet.servers.size).toBe(3);
  });

  test("that cannot be written, or read, end with 1", async () => {
    const { bucket, run } = await scene();
    bucket.answer(({ url }) => (url.includes("night") ? { status: 403, code: "AccessDenied" } : "usual"));
    const { code, stdout, stderr } = await run("drift --only a --report json=s3://acme/night");
    expect([code, stdout]).toEqual([1, expect.stringContaining("1 target: 1 failed.")]);
    expect(stderr).toContain("error[unwritable]: The reports could not be written at s3://acme/night/summary.json:");
    const read = await run("summarize s3://acme/night");
    expect([read.code, read.stderr]).toEqual([1, expect.stringContaining("error[state]: ")]);
  });

  test.each([
    ["s3://acme", {}, "bad-value]: The s3: address"],
    ["s3://acme/night?host=evil.example", {}, "bad-value]: The s3: address"],
    ["s3://acme/night", { AWS_REGION: "" }, "missing-setting]: The region of the report bucket is not set."],
    [
      "s3://acme/night",
      { AWS_SECRET_ACCESS_KEY: "" },
      "missing-setting]: The report is in a bucket, but AWS_SECRET_ACCESS_KEY",
    ],
  ])("at %s with %j are refused before anything runs", async (address, env, told) => {
    const fleet = await fleetScene([{ name: "a", endpoint: "https://a.example" }]);
    const all = { ...credentials, AWS_REGION: "us-east-1", ...env };
    for (const words of [`drift --report json=${address}`, `summarize ${address}`]) {
      const ended = await fleet.fleet(words, all);
      expect([ended.code, ended.stderr]).toEqual([3, expect.stringContaining(`error[${told}`)]);
    }
  });
});
