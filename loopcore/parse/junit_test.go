package parse

import (
	"fmt"
	"strings"
	"testing"

	"fixloop/loopcore"
)

// .NET's reports name a test with its class or without, and tell it in other
// elements than JUnit's. No .NET is at hand here: the documents hold what the
// loggers of VSTest, NUnit 3 and xUnit.net write, in short.
func TestReportsOfDotNet(t *testing.T) {
	const trx = `<?xml version="1.0" encoding="utf-8"?>
<TestRun id="1" xmlns="http://microsoft.com/schemas/VisualStudio/TeamTest/2010">
  <Results>
    <UnitTestResult testId="t1" testName="%[1]sAdds" outcome="Passed" />
    <UnitTestResult testId="t2" testName="%[1]sTotals(price: 3)" outcome="Failed"><Output><StdOut>hello</StdOut><ErrorInfo>
      <Message>Assert.Equal() Failure
Expected: 3
Actual:   4</Message>
      <StackTrace>   at Shop.Tests.CartTests.Totals(Int32 price) in /src/Shop.Tests/CartTests.cs:line 21</StackTrace>
    </ErrorInfo></Output></UnitTestResult>
    <UnitTestResult testId="t3" testName="%[1]sLater" outcome="NotExecuted" />
  </Results>
  <TestDefinitions>
    <UnitTest name="a" id="t1"><TestMethod className="Shop.Tests.CartTests" name="Adds" /></UnitTest>
    <UnitTest name="b" id="t2"><TestMethod className="Shop.Tests.CartTests" name="Totals" /></UnitTest>
  </TestDefinitions>
  <ResultSummary outcome="Failed"><RunInfos>
    <RunInfo outcome="Error"><Text>[xUnit.net 00:00:00.44]     Shop.Tests.CartTests.Totals(price: 3) [FAIL]</Text></RunInfo>
  </RunInfos></ResultSummary>
</TestRun>
`
	for name, doc := range map[string]string{
		"TRX of xUnit.net": fmt.Sprintf(trx, "Shop.Tests.CartTests."),
		"TRX of MSTest":    fmt.Sprintf(trx, ""),
		"NUnit 3": `<test-run id="2" testcasecount="3" result="Failed">
  <test-suite type="Assembly" name="Shop.Tests.dll" result="Failed" site="Child">
    <failure><message><![CDATA[One or more child tests had errors]]></message></failure>
    <test-suite type="TestFixture" name="CartTests" result="Failed" site="Child">
      <failure><message><![CDATA[One or more child tests had errors]]></message></failure>
      <test-case name="Adds" methodname="Adds" classname="Shop.Tests.CartTests" result="Passed" />
      <test-case name="Totals(price: 3)" methodname="Totals" classname="Shop.Tests.CartTests" result="Failed">
        <failure><message><![CDATA[  Expected: 3
  But was:  4
]]></message><stack-trace><![CDATA[   at Shop.Tests.CartTests.Totals(Int32 price) in /src/Shop.Tests/CartTests.cs:line 21
]]></stack-trace></failure>
      </test-case>
      <test-case name="Later" classname="Shop.Tests.CartTests" result="Skipped" label="Ignored"><reason><message>later</message></reason></test-case>
    </test-suite>
  </test-suite>
</test-run>
`,
		"xUnit.net 2": `<assemblies>
  <assembly name="/src/bin/Shop.Tests.dll" total="3" passed="1" failed="1" skipped="1" errors="0">
    <errors />
    <collection total="3" passed="1" failed="1" skipped="1" name="Test collection for Shop.Tests.CartTests">
      <test name="Shop.Tests.CartTests.Adds" type="Shop.Tests.CartTests" method="Adds" result="Pass" />
      <test name="Shop.Tests.CartTests.Totals(price: 3)" type="Shop.Tests.CartTests" method="Totals" result="Fail">
        <failure exception-type="Xunit.Sdk.EqualException"><message>Assert.Equal() Failure
Expected: 3
Actual:   4</message><stack-trace>   at Shop.Tests.CartTests.Totals(Int32 price) in /src/Shop.Tests/CartTests.cs:line 21</stack-trace></failure>
      </test>
      <test name="Shop.Tests.CartTests.Later" type="Shop.Tests.CartTests" method="Later" result="Skip"><reason>later</reason></test>
    </collection>
  </assembly>
</assemblies>
`,
	} {
		r := Parse(Input{Files: []File{{Name: "report.xml", Data: []byte(doc)}}, Exit: 1, HasExit: true})
		if r.Status != loopcore.StatusFail || r.Counts.Passed != 1 || r.Counts.Failed != 1 || r.Counts.Skipped != 1 || len(r.Failures) != 1 {
			t.Errorf("%s: %s, %+v, %+v", name, r.Status, r.Counts, r.Failures)
			continue
		}
		f := r.Failures[0]
		if f.Suite != "Shop.Tests.CartTests" || f.Name != "Totals(price: 3)" || f.File != "Shop.Tests/CartTests.cs" && f.File != "/src/Shop.Tests/CartTests.cs" || f.Line != 21 || !strings.Contains(f.Message, "3") {
			t.Errorf("%s: %+v", name, f)
		}
	}
}

// A report of a run whose host died has no failed test, and says why.
func TestReportOfADeadHost(t *testing.T) {
	doc := `<TestRun id="1"><Results><UnitTestResult testId="t1" testName="Adds" outcome="Passed" /></Results>
<ResultSummary outcome="Failed"><RunInfos><RunInfo outcome="Error"><Text>The active test run was aborted. Reason: Test host process crashed : Stack overflow.</Text></RunInfo></RunInfos></ResultSummary></TestRun>
`
	r := Parse(Input{Files: []File{{Name: "a.trx", Data: []byte(doc)}}, Exit: 1, HasExit: true})
	if r.Status != loopcore.StatusCrash || !strings.Contains(r.Fault, "Stack overflow") {
		t.Errorf("%s, %q, %+v", r.Status, r.Fault, r.Failures)
	}
}
