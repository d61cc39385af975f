import{a,b}from"./chunk-KUF6ZHFB.js";import"./chunk-OQ4UEFJX.js";import"./chunk-SQE76S5B.js";export{a as save,b as saveFrom};
