// The TypeScript compiler as a judge: one JSON question on stdin, one JSON answer on stdout.
const ts = require(process.env.TYPESCRIPT || "typescript");
const fs = require("fs");
const path = require("path");

const question = JSON.parse(fs.readFileSync(0, "utf8"));
const root = fs.realpathSync(question.root);
const endings = [".ts", ".tsx", ".mts", ".cts"];

function listed(directory, found = []) {
  for (const entry of fs.readdirSync(directory, { withFileTypes: true })) {
    if (["node_modules", ".git", "dist"].includes(entry.name)) continue;
    const full = path.join(directory, entry.name);
    if (entry.isDirectory()) listed(full, found);
    else if (endings.some((end) => entry.name.endsWith(end))) found.push(full);
  }
  return found;
}

const files = listed(root);
const configs = new Map();
function optionsFor(file) {
  const config = ts.findConfigFile(path.dirname(file), ts.sys.fileExists);
  if (!config) return {};
  if (!configs.has(config)) {
    const read = ts.readConfigFile(config, ts.sys.readFile);
    configs.set(config, ts.parseJsonConfigFileContent(read.config || {}, ts.sys, path.dirname(config)).options);
  }
  return configs.get(config);
}
const options = {
  ...optionsFor(path.join(root, "x.ts")), noEmit: true, skipLibCheck: true, allowJs: false, composite: false, incremental: false,
  target: ts.ScriptTarget.ESNext, module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler,
  jsx: ts.JsxEmit.ReactJSX, types: [],
};
const texts = new Map();
const text = (file) => {
  if (!texts.has(file)) texts.set(file, ts.sys.readFile(file));
  return texts.get(file);
};
const host = {
  getScriptFileNames: () => files,
  getScriptVersion: () => "1",
  getScriptSnapshot: (file) => (ts.sys.fileExists(file) ? ts.ScriptSnapshot.fromString(text(file) || "") : undefined),
  getCurrentDirectory: () => root,
  getCompilationSettings: () => options,
  getDefaultLibFileName: (given) => ts.getDefaultLibFilePath(given),
  fileExists: ts.sys.fileExists, readFile: ts.sys.readFile, readDirectory: ts.sys.readDirectory,
  directoryExists: ts.sys.directoryExists, getDirectories: ts.sys.getDirectories, realpath: ts.sys.realpath,
};
const service = ts.createLanguageService(host, ts.createDocumentRegistry());
const program = service.getProgram();
const relative = (file) => path.relative(root, file).split(path.sep).join("/");
const placeOf = (file, at) => {
  const { line, character } = program.getSourceFile(file).getLineAndCharacterOfPosition(at);
  return [relative(file), line + 1, character + 1];
};

const isFunction = (node) => ts.isFunctionLike(node) && node.kind !== ts.SyntaxKind.FunctionType;
function symbols() {
  const found = [];
  const note = (name, kind, file) => {
    if (name && (ts.isIdentifier(name) || ts.isPrivateIdentifier(name)))
      found.push([...placeOf(file, name.getStart()), name.text, kind]);
  };
  const visit = (node, file, inside) => {
    const kinds = [
      [ts.isFunctionDeclaration, "function"], [ts.isClassDeclaration, "class"], [ts.isInterfaceDeclaration, "interface"],
      [ts.isTypeAliasDeclaration, "type"], [ts.isEnumDeclaration, "enum"], [ts.isMethodDeclaration, "method"],
    ];
    for (const [is, kind] of kinds) if (is(node)) note(node.name, kind, file);
    if (!inside && ts.isPropertyDeclaration(node)) note(node.name, "field", file);
    if (!inside && (ts.isPropertySignature(node) || ts.isMethodSignature(node)) && ts.isInterfaceDeclaration(node.parent))
      note(node.name, ts.isMethodSignature(node) ? "method" : "field", file);
    if (!inside && ts.isVariableDeclaration(node) && ts.isVariableStatement(node.parent.parent) &&
        ts.isSourceFile(node.parent.parent.parent)) note(node.name, "variable", file);
    ts.forEachChild(node, (child) => visit(child, file, inside || isFunction(node)));
  };
  for (const name of question.files) {
    const file = path.join(root, name);
    const source = program.getSourceFile(file);
    if (source) visit(source, file, false);
  }
  return found;
}

// What else gets a name, inside functions and in object literals; one that is a use at the same time is left out.
const others = [
  ts.isVariableDeclaration, ts.isPropertyDeclaration, ts.isPropertySignature, ts.isMethodSignature, ts.isEnumMember,
  ts.isMethodDeclaration, ts.isAccessor, ts.isFunctionExpression, ts.isModuleDeclaration, ts.isClassExpression,
  (node) => ts.isPropertyAssignment(node) && isFunction(node.initializer),
];
function declared() {
  const found = [];
  const visit = (node, file) => {
    const name = others.some((is) => is(node)) && node.name;
    if (name && ts.isIdentifier(name)) found.push([...placeOf(file, name.getStart()), name.text, "other"]);
    ts.forEachChild(node, (child) => visit(child, file));
  };
  for (const name of question.files) {
    const file = path.join(root, name);
    const source = program.getSourceFile(file);
    if (source) visit(source, file);
  }
  return found;
}

function references() {
  return question.places.map(([name, line, column]) => {
    const file = path.join(root, name);
    const at = program.getSourceFile(file).getPositionOfLineAndCharacter(line - 1, column - 1);
    const groups = service.findReferences(file, at) || [];
    const found = [];
    for (const group of groups)
      for (const one of group.references)
        if (!one.isDefinition && !one.fileName.includes("node_modules")) found.push(placeOf(one.fileName, one.textSpan.start));
    return found;
  });
}

function edges() {
  const found = [];
  for (const name of question.files) {
    const file = path.join(root, name);
    const source = program.getSourceFile(file);
    for (const literal of source ? source.imports || [] : []) {
      const own = { ...options, ...optionsFor(file), moduleResolution: options.moduleResolution, module: options.module };
      const told = ts.resolveModuleName(literal.text, file, own, ts.sys).resolvedModule;
      if (!told) continue;
      const target = fs.realpathSync(told.resolvedFileName);
      if (!target.includes("node_modules") && target.startsWith(root + path.sep)) found.push([name, relative(target)]);
    }
  }
  return found;
}

process.stdout.write(JSON.stringify({ symbols, declared, references, edges }[question.what]()));
