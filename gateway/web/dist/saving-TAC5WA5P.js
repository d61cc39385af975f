import{a,b}from"./chunk-3LO73BX7.js";import"./chunk-NKTIRDO7.js";import"./chunk-SQE76S5B.js";export{a as save,b as saveFrom};
