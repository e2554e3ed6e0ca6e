// The bill of materials of what is in dist/, as CycloneDX. The same sources give the same bytes: it has no time and no random number.
import { readFile } from "node:fs/promises";

/** `directories`: of the packages of which a bundle holds anything. */
export async function billOfMaterials(directories) {
  const { packages } = JSON.parse(await readFile("package-lock.json", "utf8"));
  const root = JSON.parse(await readFile("package.json", "utf8"));
  // Where node_modules is a link, esbuild names the directory to which it leads.
  const keys = directories.map((directory) => directory.replace(/^.*?(?=node_modules\/)/, ""));
  const components = await Promise.all(directories.map((directory, at) => componentOf(directory, packages[keys[at]])));
  const dependencies = keys.map((key, at) => ({
    ref: components[at].purl,
    dependsOn: dependenciesOf(key, packages)
      .flatMap((one) => components[keys.indexOf(one)]?.purl ?? [])
      .sort(),
  }));
  const needed = new Set(dependencies.flatMap(({ dependsOn }) => dependsOn));
  const direct = components.filter(
    ({ name, group, purl }) => !needed.has(purl) || isNamed(root.devDependencies, group, name),
  );
  const subject = purlOf(root);
  return `${JSON.stringify(
    {
      $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
      bomFormat: "CycloneDX",
      specVersion: "1.6",
      version: 1,
      metadata: {
        lifecycles: [{ phase: "build" }],
        component: {
          type: "application",
          "bom-ref": subject,
          name: root.name,
          version: root.version,
          description: root.description,
          licenses: [{ license: { id: root.license } }],
          purl: subject,
        },
      },
      components,
      dependencies: [{ ref: subject, dependsOn: direct.map(({ purl }) => purl).sort() }, ...dependencies],
    },
    undefined,
    2,
  )}\n`;
}

async function componentOf(directory, locked) {
  const { name, version, license } = JSON.parse(await readFile(`${directory}/package.json`, "utf8"));
  if (locked?.version !== version) throw new Error(`${directory} is not what package-lock.json says: run npm ci.`);
  const [, group, bare = name] = /^(@[^/]+)\/(.+)$/.exec(name) ?? [];
  const [, algorithm, digest] = /^(sha512)-(.+)$/.exec(locked.integrity) ?? [];
  if (algorithm === undefined) throw new Error(`package-lock.json has no SHA-512 of ${name} ${version}.`);
  return {
    type: "library",
    "bom-ref": purlOf({ name, version }),
    ...(group === undefined ? {} : { group }),
    name: bare,
    version,
    scope: "required",
    hashes: [{ alg: "SHA-512", content: Buffer.from(digest, "base64").toString("hex") }],
    licenses: [{ license: { id: license } }],
    purl: purlOf({ name, version }),
  };
}

function purlOf({ name, version }) {
  return `pkg:npm/${name.replace("@", "%40")}@${version}`;
}

function isNamed(dependencies, group, name) {
  return Object.hasOwn(dependencies, group === undefined ? name : `${group}/${name}`);
}

/** The directories in which Node finds what a package depends on. */
function dependenciesOf(directory, packages) {
  const names = Object.keys(packages[directory]?.dependencies ?? {});
  return names.flatMap((name) => {
    for (let at = directory; ; at = at.slice(0, Math.max(0, at.lastIndexOf("node_modules") - 1))) {
      const found = at === "" ? `node_modules/${name}` : `${at}/node_modules/${name}`;
      if (Object.hasOwn(packages, found)) return [found];
      if (at === "") return [];
    }
  });
}
