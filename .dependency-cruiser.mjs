/** A dependency that exists at run time: anything but `import type` / `export type`. */
const value = { dependencyTypesNot: ['type-only'] };

/** Files outside the layers, which every folder may know. */
const shared = '^src/everloop-error\\.ts$';

/** The import table: what each folder of src/ may import from src/, beside itself. */
const layers = {
  chat: [],
  loop: ['chat'],
  workflows: ['chat', 'loop'],
  history: ['chat', 'loop'],
  models: ['chat', 'loop'],
  tools: ['chat', 'loop'],
  storage: ['chat', 'loop'],
  agents: ['chat', 'loop', 'tools'],
  abilities: ['chat', 'loop', 'tools', 'models', 'storage'],
  activities: ['chat', 'loop', 'history', 'models', 'tools', 'agents', 'abilities', 'storage'],
  engine: ['storage', 'loop/search-attributes.ts'],
  replay: ['chat', 'loop', 'history', 'engine'],
  client: ['chat', 'loop', 'history', 'storage', 'engine', 'workflows/messages.ts', 'replay'],
};

/** npm packages that a layer may load at run time. Layers not named here may load any declared one. */
const packages = {
  chat: ['zod'],
  loop: ['zod'],
  workflows: ['@temporalio/(workflow|common)'],
  history: [],
};

const layerRules = Object.entries(layers).map(([folder, allowed]) => ({
  name: `${folder}-imports`,
  severity: 'error',
  from: { path: `^src/${folder}/` },
  to: {
    path: '^src/',
    pathNot: [
      `^src/${folder}/`,
      ...allowed.map((other) => `^src/${other}${other.endsWith('.ts') ? '$' : '/'}`),
      ...(['chat', 'loop', 'workflows', 'history'].includes(folder) ? [] : [shared]),
    ],
  },
}));

const packageRules = Object.entries(packages).map(([folder, allowed]) => ({
  name: `${folder}-packages`,
  comment: 'pure or sandboxed code: the Workflow bundler takes any npm package without a word',
  severity: 'error',
  from: { path: `^src/${folder}/` },
  to: {
    path: ['node_modules/', '^node:', '^[a-z_/]+$'],
    pathNot: allowed.map((name) => `node_modules/${name}/`),
    ...value,
  },
}));

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    ...layerRules,
    ...packageRules,
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true, viaOnly: value } },
    {
      name: 'no-orphans',
      comment: 'a program started by path, and a Workflow that is bundled by path',
      severity: 'error',
      from: {
        orphan: true,
        pathNot: [
          '\\.d\\.ts$',
          '^src/engine/download-temporal-cli\\.ts$',
          '^test/replay/throwing-workflow\\.ts$',
        ],
      },
      to: {},
    },
    { name: 'no-unresolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'no-undeclared-package',
      severity: 'error',
      from: {},
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    },
    {
      name: 'no-dev-package-in-src',
      severity: 'error',
      from: { path: '^src/' },
      to: { dependencyTypes: ['npm-dev'], ...value },
    },
    {
      name: 'provider-sdk-in-its-folder',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/models/openai(-chat|-responses)?/' },
      to: { path: 'node_modules/openai/' },
    },
    {
      name: 'anthropic-sdk-in-its-folder',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/models/anthropic/' },
      to: { path: 'node_modules/@anthropic-ai/sdk/' },
    },
    {
      name: 'proto-has-no-named-exports',
      comment:
        '@temporalio/proto type-checks as a named import and fails at run time under Node ESM',
      severity: 'error',
      // Takes the default import, which works.
      from: { path: '^src/', pathNot: '^src/testing/history-bytes\\.ts$' },
      to: { path: 'node_modules/@temporalio/proto/', ...value },
    },
    {
      name: 'sources-know-no-tests',
      severity: 'error',
      from: { path: '^(src|examples)/' },
      to: { path: '^(test|bench|scripts)/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^dist/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    moduleSystems: ['es6', 'cjs'],
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
};
