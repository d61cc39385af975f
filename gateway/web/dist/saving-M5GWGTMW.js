import{a,b}from"./chunk-IN7RDZE3.js";import"./chunk-LHQUFTBC.js";export{a as save,b as saveFrom};
