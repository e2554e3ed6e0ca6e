import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { readListing } from "../../../../src/state/s3/reports.ts";
import { noon } from "../../../support/event-builders.ts";
import { clockAt, countingRandomness } from "../../../support/fixed-ports.ts";
import { bucketCredentials, openS3ReportsAt } from "../../../support/s3-place.ts";
import { type SmallS3Options, smallS3 } from "../../../support/small-s3.ts";
import { unwrap } from "../../../support/state-place.ts";

async function reportsIn(path: string, options: Omit<SmallS3Options, "clock"> = {}) {
  const clock = clockAt(noon);
  const server = await smallS3({ ...options, clock });
  onTestFinished(() => server.close());
  const address = `s3://acme/${path}?region=us-east-1&endpoint=${server.endpoint}`;
  const reports = openS3ReportsAt(address, { clock, randomness: countingRandomness() });
  onTestFinished(() => reports.close());
  return { server, reports };
}

const all = () => true;

describe("reports in a bucket", () => {
  test("are written over what is there, and read", async () => {
    const { server, reports } = await reportsIn("fleet/night");
    for (const text of ["one", "two"]) expect(await reports.write("targets/a.html", text, "text/html")).toBe(undefined);
    expect(server.text("fleet/night/targets/a.html")).toBe("two");
    expect(server.seen[0]?.headers).toMatchObject({ "content-type": "text/html" });
    expect(unwrap(await reports.read("targets/a.html"))).toBe("two");
    expect(reports.address).toBe("s3://acme/fleet/night");
  });

  test.each(["lost", "answer-lost", "done-and-500", { status: 503, code: "SlowDown" }] as const)(
    "are there although the first answer is %j",
    async (way) => {
      const { server, reports } = await reportsIn("fleet", { way: (_, index) => (index === 0 ? way : "usual") });
      expect(await reports.write("summary.json", "{}", "application/json")).toBe(undefined);
      expect(server.text("fleet/summary.json")).toBe("{}");
    },
  );

  test("are listed to the last one, whatever the pages are, and nothing else is", async () => {
    const name = fc
      .array(fc.stringMatching(/^[ !&'()*+,\-.0-9:=@A-Za-z_é]{1,12}$/u), { minLength: 1, maxLength: 3 })
      .filter((parts) => !parts.some((part) => part === "." || part === ".."))
      .map((parts) => parts.join("/"));
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(name, { maxLength: 12 }),
        fc.infiniteStream(fc.integer({ min: 1, max: 4 })),
        fc.constantFrom("never", undefined),
        async (names, sizes, escapesNames) => {
          const pageSize = () => sizes.next().value ?? 1;
          const options = { pageSize, ...(escapesNames === undefined ? {} : { escapesNames }) };
          const { server, reports } = await reportsIn("my reports/é+", options);
          server.put("my reports/other.json", "");
          server.put("my reports/é+.json", "");
          for (const one of names) server.put(`my reports/é+/${one}`, one);
          expect([...unwrap(await reports.list(all))].sort()).toEqual([...names].sort());
          for (const one of names.slice(0, 3)) expect(unwrap(await reports.read(one))).toBe(one);
          const some = unwrap(await reports.list((one) => one.endsWith("a")));
          expect([...some].sort()).toEqual(names.filter((one) => one.endsWith("a")).sort());
        },
      ),
      { numRuns: 40 },
    );
  });

  test("that cannot be listed are never taken for none", async () => {
    const { server, reports } = await reportsIn("fleet");
    server.answer(() => ({ status: 403, code: "AccessDenied", message: bucketCredentials.secretAccessKey }));
    expect(await reports.list(all)).toEqual({
      ok: false,
      error: {
        code: "state",
        message: "the reports could not be listed at s3://acme/fleet/: the credentials have no permission for this",
        request: "s3://acme/fleet/",
        status: 403,
        serviceSays: "[redacted]",
        hint: "allow s3:PutObject below the address to write reports, s3:GetObject and s3:ListBucket to summarize them",
      },
    });
  });

  test("that a list names again and again are not read for ever", async () => {
    const { server, reports } = await reportsIn("fleet", { pageSize: () => 1, forgetsTokens: true });
    for (const name of ["a", "b"]) server.put(`fleet/${name}.json`, "{}");
    expect(await reports.list(all)).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining("the list of objects has no end") },
    });
  });

  test("are below the address: a list with other names is refused", async () => {
    const { server, reports } = await reportsIn("fleet");
    server.put("fleet/../state.json", "{}");
    expect(await reports.list(all)).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining("the list has other objects") },
    });
  });

  test("that are gone are an error", async () => {
    const { reports } = await reportsIn("fleet");
    expect(await reports.read("summary.json")).toMatchObject({
      ok: false,
      error: { code: "state", request: "s3://acme/fleet/summary.json" },
    });
  });
});

const listed = (inner: string) => `<?xml version="1.0" encoding="UTF-8"?>
<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${inner}</ListBucketResult>
`;
const object = (key: string) => `<Contents><Key>${key}</Key><Size>1</Size></Contents>`;
const last = "<IsTruncated>false</IsTruncated>";

describe("a page of a list", () => {
  test("has the names of its objects, and what asks for the next page", () => {
    const more = "<IsTruncated>true</IsTruncated><NextContinuationToken>a&amp;b=</NextContinuationToken>";
    expect(readListing(listed(`<Name>acme</Name>${more}${object("r/a.json")}${object("r/b.json")}`))).toEqual({
      ok: true,
      value: { keys: ["r/a.json", "r/b.json"], next: "a&b=" },
    });
    expect(readListing(listed(`<Delimiter/>${last}`))).toEqual({ ok: true, value: { keys: [] } });
  });

  test.each([
    ["<EncodingType>url</EncodingType>", "a%20b+%C3%AB%26", "a b ë&"],
    ["", "a%20+&lt;&amp;&#233;&#xEB;&quot;&apos;&gt;", "a%20+<&éë\"'>"],
  ])("has names that are escaped as it says: %s", (type, written, key) => {
    expect(readListing(listed(`${type}${last}${object(written)}`))).toEqual({ ok: true, value: { keys: [key] } });
  });

  test.each([
    ["nothing", ""],
    ["no XML", "{}"],
    ["a page for a browser", "<html><body>Log in</body></html>"],
    ["an error", "<Error><Code>InternalError</Code></Error>"],
    ["no word of whether more objects follow", listed(object("a"))],
    ["more objects, and no way to them", listed("<IsTruncated>true</IsTruncated>")],
    ["an empty name", listed(`${last}${object("")}`)],
    ["an entity of its own", `<!DOCTYPE a [<!ENTITY b "c">]>${listed(`${last}${object("&b;")}`)}`],
    ["an unknown entity", listed(`${last}${object("&b;")}`)],
    ["a character that does not exist", listed(`${last}${object("&#xD800;")}`)],
    ["a name with a wrong escape", listed(`<EncodingType>url</EncodingType>${last}${object("%E0%")}`)],
    ["a comment", listed(`${last}<!-- <Contents/> -->`)],
    ["text that is quoted", listed(`${last}<Contents><Key><![CDATA[a]]></Key></Contents>`)],
    ["an element that ends as another", listed(`${last}<Contents><Key>a</Contents></Key>`)],
    [
      "an end that is missing",
      listed(`${last}${object("a")}`)
        .trimEnd()
        .slice(0, -19),
    ],
    ["something behind the end", `${listed(last)}<a/>`],
    ["elements within elements within elements", listed(`${last}${"<a>".repeat(50)}${"</a>".repeat(50)}`)],
    ["very many elements", listed(`${last}${"<a/>".repeat(200_000)}`)],
    ["very many bytes", listed(`${last}${" ".repeat(9 * 1024 * 1024)}`)],
  ])("is no list with %s", (_, body) => {
    expect(readListing(body)).toEqual({ ok: false, error: expect.stringMatching(/list of objects/u) });
  });

  test("that is cut anywhere is no list", () => {
    const whole = listed(`${last}${object("a")}${object("b")}`).trimEnd();
    fc.assert(
      fc.property(fc.nat({ max: whole.length - 1 }), (end) => {
        expect(readListing(whole.slice(0, end)).ok).toBe(false);
      }),
      { numRuns: 200 },
    );
  });
});
