import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readListing } from "../../../../src/state/s3/listing.ts";

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
