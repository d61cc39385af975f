import{a,b}from"./chunk-UURZEZCI.js";import"./chunk-JSTTPKKL.js";export{a as save,b as saveFrom};
